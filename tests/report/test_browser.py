"""The pages of experiments in a real browser: they draw, answer, and ask the world for nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser
from tests.report.visiting import CHROMIUM, chromium, serious, visit

import privopt.report
from privopt.assess import audit
from privopt.experiments.story import Story
from privopt.report.audit import audit_page

pytestmark = pytest.mark.browser(found=CHROMIUM is not None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def pages(example: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    own = shutil.copytree(example, tmp_path_factory.mktemp("report"), dirs_exist_ok=True)
    return {path.stem: path for path in privopt.report.write(own)}


def test_on_a_desk(browser: Browser, pages: dict[str, Path]) -> None:
    report = pages["report"]
    found = visit(browser, report, viewport={"width": 1280, "height": 900}, color_scheme="light")
    found.drawn("light")
    page = found.page
    # The first picture; 6 and 4 cases, each with two distributions; agreement, two curves, a map.
    assert page.locator(".plot > svg").count() == 1 + 6 * 3 + 4 * 3 + 1 + 2 + 1
    first = page.locator("header .plot > svg").bounding_box()
    assert first is not None
    assert first["y"] + first["height"] < 900  # on the first screen
    for table in ("table1", "table2"):
        assert page.locator(f"#{table}-comparison").is_visible()

    # Another network is chosen.
    shown = '[data-choice="table1"]:visible .method'
    assert page.locator(shown).count() == 2 * 7 - 1  # violation, and loss, which OP has none of
    page.locator('input[name="table1"][value="0"]').check()
    assert page.locator(shown).count() == 2 * 6 - 1

    # The other theme: ground, button and pictures follow, and the choice is kept.
    ink = "getComputedStyle(document.querySelector('.plot svg')).fill"
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ink), page.evaluate(ground)
    page.get_by_role("button", name="Switch to the dark theme").click()
    found.drawn("dark")
    dark = page.evaluate(ink), page.evaluate(ground)
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    assert page.locator(shown).count() == 2 * 6 - 1
    page.get_by_role("button", name="Switch to the light theme").click()
    found.drawn("light")
    assert (page.evaluate(ink), page.evaluate(ground)) == light

    assert found.complaints == []
    assert found.requests == [report.as_uri()]
    page.close()


@pytest.fixture(scope="module")
def others(
    told_and_page: tuple[Story, str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """The demo's page and that of an audit."""
    folder = tmp_path_factory.mktemp("others")
    rng = np.random.default_rng(0)
    found = audit(lambda d: d + rng.laplace(), 0.0, 1.0, samples=2000, claimed=1.0)
    texts = {"demo": told_and_page[1], "audit": audit_page(found, "noise", computed=1.0)}
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in texts}


@pytest.mark.parametrize("name", ["demo", "audit"])
@pytest.mark.parametrize(("theme", "wide"), [("light", 1280), ("dark", 390)])
def test_demo_and_audit(
    browser: Browser, others: dict[str, Path], name: str, theme: str, wide: int
) -> None:
    size = {"width": wide, "height": 900}
    found = visit(browser, others[name], viewport=size, color_scheme=theme)
    found.drawn(theme)
    assert serious(found.page) == []
    assert found.page.evaluate("document.documentElement.scrollWidth") == wide
    first = found.page.locator("svg.privopt-picture").first.bounding_box()
    assert first is not None
    assert first["y"] < 900  # a picture on the first screen
    assert found.complaints == []
    assert found.requests == [others[name].as_uri()]
    found.page.close()


@pytest.mark.parametrize("name", ["report", "privacy"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    browser: Browser, pages: dict[str, Path], name: str, theme: str
) -> None:
    found = visit(browser, pages[name], color_scheme=theme)
    found.drawn(theme)
    assert serious(found.page) == []
    found.page.close()


@pytest.mark.parametrize("name", ["report", "privacy"])
def test_on_a_phone_at_night(browser: Browser, pages: dict[str, Path], name: str) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    found = visit(browser, pages[name], **phone, color_scheme="dark")
    found.drawn("dark")
    page = found.page
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    wide = "all => all.some(box => box.scrollWidth > box.clientWidth)"
    assert page.eval_on_selector_all(".scroll", wide)  # the tables scroll in their own boxes
    over = "all => all.filter(p => p.getBoundingClientRect().right > 390).length"
    assert page.eval_on_selector_all(".plot > svg", over) == 0
    assert found.complaints == []
    assert all(url.startswith("file:") for url in found.requests)
    page.close()


@pytest.mark.long
def test_hostile_names_are_shown_as_they_are(browser: Browser, folder: Path) -> None:
    for name in ("table2.json", "figure2.json", "drawing.json"):
        (folder / name).unlink()
    name = "<script>alert(1)</script><img src=https://example.org/x onerror=alert(2)>"
    data = json.loads((folder / "table1.json").read_text())
    rows = [row | {"network": name} for row in data["rows"][:3]]
    rows[1]["algorithm"] = name
    (folder / "table1.json").write_text(json.dumps(data | {"rows": rows}))
    proofs = json.loads((folder / "privacy.json").read_text())
    proofs["rows"] = [row | {"network": name} for row in proofs["rows"][:7]]
    proofs["rows"][1]["witness"]["entry"] = name
    (folder / "privacy.json").write_text(json.dumps(proofs))
    runs = pd.read_parquet(folder / "table1.parquet")
    runs["algorithm"] = runs["algorithm"].replace("PIQ-a", name)
    runs.assign(network=name).to_parquet(folder / "table1.parquet")

    paper, privacy = (visit(browser, path) for path in privopt.report.write(folder))
    for found in (paper, privacy):
        found.drawn("light")
        assert found.page.locator("img").count() == 0
    assert name in paper.page.locator("#table1-comparison .case th").inner_text()
    ticks = paper.page.locator('[data-plot="table1-violation-0"] .method').all_text_contents()
    assert ticks == ["OP", name, "PIQ-s"]
    assert privacy.page.locator("#privacy-table .case th").inner_text().count(name) == 2
    heads = privacy.page.locator('[data-plot="privacy"] .case').all_text_contents()
    assert set(heads) == {name}
    for found in (paper, privacy):
        assert found.complaints == []
        assert all(url.startswith("file:") for url in found.requests)
        found.page.close()
