"""The page of each kind of file in a real browser: axe finds nothing serious, light or dark.

Each page fits a phone, shows its pictures, asks the world for nothing, and is small.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from tests.report.visiting import CHROMIUM, chromium, serious, visit

import privopt as po
from privopt.report.ledger import ledger_page
from privopt.report.sheet import page_of

pytestmark = pytest.mark.browser(found=CHROMIUM is not None)
KINDS = ("release", "instrument", "measurement", "decision", "ledger")
PICTURES = {"release": 2, "decision": 2, "measurement": 2, "ledger": 2}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each kind, of a network in MW."""
    folder = tmp_path_factory.mktemp("pages")
    network = po.networks.load("5_pjm")
    d = network.base_mva * network.buses.demand
    program = network.program(unit="MW").without_data()
    noise, box = po.Laplace(epsilon=1.0, alpha=1.0), po.Box(0.9 * d, 1.1 * d + 5)
    query, kept = po.Identity(["p[1,1]", "p[3]"]), po.ExactBox(eta=0.05)
    plan = po.solve(program.at(d), query, noise, kept)
    sums = {"all": list(program.data_names), "demand[3]": ["demand[3]"]}
    instrument = po.Instrument(sums, program=program, privacy=noise, domain=box)
    with po.Ledger(folder / "a.ledger", po.Budget(5), dataset="loads") as ledger:
        release = plan.release(ledger=ledger, key="may")
        measured = instrument.measure(d, ledger=ledger, key="june")
        texts = {"ledger": ledger_page(ledger)}
    decision = po.decide(program, query, measured, kept)
    things: dict[str, Any] = {
        "release": release, "instrument": instrument, "measurement": measured,
        "decision": decision,
    }  # fmt: skip
    texts |= {
        kind: page_of(one, None, network if kind in ("release", "measurement") else None)
        for kind, one in things.items()
    }
    for kind, text in texts.items():
        (folder / f"{kind}.html").write_text(text)
    return {kind: folder / f"{kind}.html" for kind in texts}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_serious_is_found(
    browser: Browser, pages: dict[str, Path], kind: str, theme: Any
) -> None:
    size = {"width": 1280, "height": 900} if theme == "light" else {"width": 390, "height": 844}
    found = visit(browser, pages[kind], viewport=size, color_scheme=theme)
    found.drawn(theme)
    assert not serious(found.page)
    assert found.page.locator("main svg[role=img]").count() == PICTURES.get(kind, 1)
    wide = found.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= size["width"]
    assert found.complaints == []
    assert found.requests == [pages[kind].as_uri()]
    assert pages[kind].stat().st_size < 60_000
    found.page.close()


def test_the_first_picture_is_above_what_is_said(browser: Browser, pages: dict[str, Path]) -> None:
    found = visit(browser, pages["release"], viewport={"width": 1280, "height": 900})
    top = "one => one.getBoundingClientRect().top"
    first = found.page.locator("main svg").first.evaluate(top)
    assert first < found.page.locator(".plain").first.evaluate(top)
    assert first < found.page.locator("table").first.evaluate(top)
    assert first < 900  # seen without scrolling
    found.page.close()
