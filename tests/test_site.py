"""The site builds without a warning, and works from a folder: formulas, search, previous and next.

It is built once. Formulas need npm, which nothing else does: without it they stay as text, and
their test is skipped. What the pages do is looked at in a real browser, from `file://`.
"""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

import privopt

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent
CHROMIUM = shutil.which("chromium")
PATIENCE = 600_000  # milliseconds: a busy machine is no failure
METHOD = "howto/measure.html"

in_a_browser = pytest.mark.browser(found=CHROMIUM is not None)


@pytest.fixture(scope="module")
def packages() -> str | None:
    """Why the packages of npm are missing, if they are."""
    made: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "site" / "packages.py"))
    try:
        made["fetch"]()
    except made["TamperedError"]:
        raise
    except made["PackagesError"] as error:
        return str(error)
    return None


@pytest.fixture(scope="module")
def site(packages: str | None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    del packages  # fetched before
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=PATIENCE
        )
        yield running
        running.close()


def opened(browser: Browser, path: Path, **settings: Any) -> Page:
    page = browser.new_page(**settings)
    page.set_default_timeout(PATIENCE)
    page.goto(path.as_uri())
    return page


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_the_pages_show_what_they_are_for(site: Path) -> None:
    home, gallery = text_of(site / "index.html"), text_of(site / "gallery.html")
    assert "measured.svg" in home
    assert "choose_instrument" in home  # the ten lines of README
    examples = [path.stem for path in (ROOT / "examples").glob("*.py")]
    assert [name for name in examples if gallery.count(f"pictures/{name}.svg") != 2] == []
    assert gallery.count("instrument") >= len(examples)  # their code
    assert "examples/" not in gallery.replace("examples/....py", "")  # and not where it lies


def test_the_reference_has_every_public_name(site: Path) -> None:
    pages = "".join(text_of(page) for page in (site / "reference").glob("*.html"))
    described = set(re.findall(r'<h3 id="privopt\.(\w+)"', pages))
    modules = {"__version__", "assess", "experiments", "networks"}
    leading = {"audit"}  # another name of assess.audit
    assert set(privopt.__all__) - modules - leading <= described
    assert "privopt.Instrument.measure" in pages


def test_every_formula_is_set(site: Path, packages: str | None) -> None:
    if packages is not None:
        pytest.skip(packages)
    formulas = 0
    for page in site.rglob("*.html"):
        text = text_of(page)
        assert "katex-error" not in text, page
        assert 'class="arithmatex"' not in text, page
        formulas += text.count('class="katex"')
    assert formulas > 900


@in_a_browser
def test_every_page_works_from_a_folder(site: Path, browser: Browser) -> None:
    """Nothing is fetched from elsewhere, nothing fails, and the pages form one chain."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(request.url))
    chained: set[Path] = set()
    here: Path | None = site / "index.html"
    while here is not None:
        assert here not in chained
        page.goto(here.as_uri(), wait_until="load")
        assert page.locator(".katex-error").count() == 0, here
        broken = "all => all.filter(i => !i.complete || !i.naturalWidth).map(i => i.src)"
        assert page.locator(".md-content img").evaluate_all(broken) == [], here
        assert page.locator(".md-footer__link--prev").count() == bool(chained), here
        chained.add(here)
        following = page.locator(".md-footer__link--next")
        there = following.get_attribute("href") if following.count() else None
        here = None if there is None else (here.parent / there).resolve()
    assert chained == {one for one in site.rglob("*.html") if one.name != "404.html"}
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert complaints == []


@in_a_browser
def test_the_search_finds_words_from_a_folder(
    site: Path, browser: Browser, packages: str | None
) -> None:
    if packages is not None:
        pytest.skip(packages)  # its worker needs a package, too
    page = opened(browser, site / METHOD, viewport={"width": 1280, "height": 900})
    page.locator(".md-search__input").click()
    page.keyboard.type("regulator")
    hit = page.locator(".md-search-result__link", has_text="Evidence").first
    hit.wait_for()
    hit.click()
    page.wait_for_url("**/howto/evidence.html*")


@in_a_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index.html", METHOD])
def test_no_serious_obstacle(site: Path, browser: Browser, name: str, scheme: Any) -> None:
    page = opened(browser, site / name, color_scheme=scheme)
    found = Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    shown = [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in serious]
    assert shown == []


@in_a_browser
@pytest.mark.parametrize(
    "name", ["index.html", METHOD, "theory/measured.html", "reference.html", "gallery.html"]
)
def test_a_telephone_scrolls_down_only(site: Path, browser: Browser, name: str) -> None:
    page = opened(browser, site / name, viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@in_a_browser
def test_pictures_follow_the_page_and_not_the_system(site: Path, browser: Browser) -> None:
    """The corner of the first picture is dark where the reader chose dark, on a light system."""
    page = opened(browser, site / "index.html", color_scheme="light")
    picture = page.locator(".md-content img").first
    light = picture.screenshot(animations="disabled")
    page.locator('label[for="__palette_1"]').first.click()
    page.wait_for_selector('body[data-md-color-scheme="slate"]')
    assert picture.screenshot(animations="disabled") != light
