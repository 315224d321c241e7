"""The page in a real browser: it draws, it answers, and it asks the world for nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import privopt.report

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)

PATIENCE = 600_000  # milliseconds, for what takes one: a busy machine is no failure

pytestmark = pytest.mark.browser(found=CHROMIUM is not None)


@dataclass
class Visit:
    """An open page, and all that it said and asked for."""

    page: Page
    complaints: list[str] = field(default_factory=list[str])
    requests: list[str] = field(default_factory=list[str])

    def drawn(self, theme: str) -> None:
        self.page.wait_for_selector(f'html[data-drawn="{theme}"]')


def visit(browser: Browser, path: Path, **settings: Any) -> Visit:
    found = Visit(browser.new_page(**settings))
    found.page.set_default_timeout(PATIENCE)
    found.page.on("console", lambda message: found.complaints.append(message.text))
    found.page.on("pageerror", lambda error: found.complaints.append(str(error)))
    found.page.on("dialog", lambda dialog: found.complaints.append(dialog.message))
    found.page.on("request", lambda request: found.requests.append(request.url))
    found.page.goto(path.as_uri())
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(FLAGS), timeout=PATIENCE
        )
        yield running
        running.close()


@pytest.fixture(scope="module")
def report(example: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    own = shutil.copytree(example, tmp_path_factory.mktemp("report"), dirs_exist_ok=True)
    return privopt.report.write(own)


def test_on_a_desk(browser: Browser, report: Path) -> None:
    found = visit(browser, report, viewport={"width": 1280, "height": 900}, color_scheme="light")
    found.drawn("light")
    page = found.page
    places = page.locator(".plot").count()
    assert places == 1 + 1 + (6 + 2) + (4 + 2) + 2 + 1
    assert page.locator(".plot.js-plotly-plot .main-svg path").count() > 700
    signs = ".scatterlayer path, .barlayer path"
    empty = f"all => all.filter(p => !p.querySelector('{signs}')).map(p => p.dataset.plot)"
    assert page.eval_on_selector_all(".plot", empty) == []
    for table in ("table1", "table2"):
        assert page.locator(f"#{table}-comparison").is_visible()

    # The main picture: hatched where nothing is proven, with the true epsilon beside it.
    main = page.locator('[data-plot="certified"]')
    assert main.locator(".barlayer .point").count() == 3 * 8
    assert main.locator("pattern").count() == 3
    said = [text for text in main.locator(".textpoint").all_text_contents() if "ε" in text]
    assert [("true ε ≥ 1.90" in text) for text in said] == [True, False, True]

    # Another network is chosen.
    points = '[data-plot="table1-violation"] .xtick'
    assert page.locator(points).count() == 7
    page.locator('input[name="table1"][value="0"]').check()
    page.wait_for_function(f"document.querySelectorAll('{points}').length === 6")

    # The other theme: ground, button and plots follow, and the choice is kept.
    ink = "getComputedStyle(document.querySelector('.plot .xtick text')).fill"
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ink), page.evaluate(ground)
    page.get_by_role("button", name="Switch to the dark theme").click()
    found.drawn("dark")
    dark = page.evaluate(ink), page.evaluate(ground)
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    assert page.locator(points).count() == 6
    page.get_by_role("button", name="Switch to the light theme").click()
    found.drawn("light")
    assert (page.evaluate(ink), page.evaluate(ground)) == light

    assert found.complaints == []
    assert found.requests == [report.as_uri()]
    page.close()


def test_on_a_phone_at_night(browser: Browser, report: Path) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    found = visit(browser, report, **phone, color_scheme="dark")
    found.drawn("dark")
    page = found.page
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    wide = "all => all.some(box => box.scrollWidth > box.clientWidth)"
    assert page.eval_on_selector_all(".scroll", wide)  # the tables scroll in their own boxes
    over = "all => all.filter(p => p.getBoundingClientRect().right > 390).length"
    assert page.eval_on_selector_all(".plot .main-svg", over) == 0
    assert found.complaints == []
    assert all(url.startswith("file:") for url in found.requests)
    page.close()


@pytest.mark.long
def test_hostile_names_are_shown_as_they_are(browser: Browser, folder: Path) -> None:
    for name in ("table2.json", "figure2.json", "drawing.json", "loads.json"):
        (folder / name).unlink()
    name = "<script>alert(1)</script><img src=https://example.org/x onerror=alert(2)>"
    data = json.loads((folder / "table1.json").read_text())
    rows = [row | {"network": name} for row in data["rows"][:3]]
    rows[1]["algorithm"] = name
    (folder / "table1.json").write_text(json.dumps(data | {"rows": rows}))
    proofs = json.loads((folder / "certified.json").read_text())
    proofs["rows"] = [row | {"network": name} for row in proofs["rows"][:7]]
    proofs["rows"][1]["witness"]["entry"] = name
    (folder / "certified.json").write_text(json.dumps(proofs))
    runs = pd.read_parquet(folder / "table1.parquet")
    runs["algorithm"] = runs["algorithm"].replace("PIQ-a", name)
    runs.assign(network=name).to_parquet(folder / "table1.parquet")

    found = visit(browser, privopt.report.write(folder))
    found.drawn("light")
    assert name in found.page.locator("#table1-comparison .case th").inner_text()
    assert found.page.locator("#certified-table .case th").inner_text().count(name) == 2
    heads = found.page.locator('[data-plot="certified"] .annotation').all_text_contents()
    assert heads == [name]
    ticks = found.page.locator('[data-plot="table1-violation"] .xtick').all_text_contents()
    assert ticks == ["OP", name, "PIQ-s"]
    assert found.page.locator("img").count() == 0
    assert found.complaints == []
    assert all(url.startswith("file:") for url in found.requests)
    found.page.close()
