"""Contact sheets of the pages: `python -m tests.report.screens`, into build/screens/pages.

Each page is made anew, small, and photographed at 1280 and 390 pixels, light and dark: the first
screen, and the whole page. A sheet shows the four of them side by side; `first.png` has the first
screens of all pages. Nothing of it is committed: it is there to be looked at.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser
from tests.report.example import write_example
from tests.report.visiting import chromium, visit

import privopt as po
from privopt.assess import audit
from privopt.experiments.story import story
from privopt.report import write
from privopt.report.audit import audit_page
from privopt.report.demo import demo_page
from privopt.report.evidence.making import make_evidence
from privopt.report.ledger import ledger_page
from privopt.report.sheet import publication

OUT = Path("build/screens/pages")
SCREENS = ((1280, 900), (390, 844))
THEMES = ("light", "dark")
_NOISE, _KEPT = po.Laplace(epsilon=1.0, alpha=0.1), po.ExactBox(eta=0.025)


def pages(folder: Path) -> Iterator[Path]:
    """Every kind of page, in a folder."""
    yield from write(write_example(folder))
    with po.Ledger(folder / "demo.ledger", limit=po.Budget(2)) as ledger:
        yield _page(folder, "demo", demo_page(story(ledger), ledger, "report.html"))
    rng = np.random.default_rng(0)
    found = audit(lambda d: d + rng.laplace(), 0.0, 1.0, claimed=1.0)
    yield _page(folder, "audit", audit_page(found, "noise in floating point", computed=1.0))
    yield from _results(folder)


def _results(folder: Path) -> Iterator[Path]:
    """The pages of what may be published, of one instance."""
    drawn = po.experiments.instance("14_ieee", 0)
    program, query = drawn.program, drawn.query
    plan = po.solve(program, query, _NOISE, _KEPT)
    sums = {"total": program.data_names}
    instrument = po.Instrument(sums, program=program, privacy=_NOISE, domain=drawn.domain)
    with po.Ledger(folder / "results.ledger", limit=po.Budget(3)) as ledger:
        measurement = instrument.measure(program.d, ledger=ledger, key="total")
        made: dict[str, Any] = {
            "release": plan.release(ledger=ledger, key="release"),
            "instrument": instrument,
            "measurement": measurement,
            "decision": po.decide(program, query, measurement, _KEPT),
        }
        yield _page(folder, "ledger", ledger_page(ledger))
    for name, one in made.items():
        path = folder / f"{name}.json"
        one.save(path)
        yield _page(folder, name, publication(path))
    decided, place = folder / "decision.release.json", folder / "results.ledger"
    made["decision"].release().save(decided)
    yield _page(folder, "checked", publication(decided, place))
    files = [folder / f"{name}.json" for name in ("release", "decision", "measurement")]
    make_evidence(place, [*files, decided], folder / "evidence")
    yield (folder / "evidence" / "index.html").rename(folder / "evidence.html")


def _page(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.html"
    path.write_text(text, encoding="utf-8")
    return path


def photograph(browser: Browser, page: Path, out: Path) -> list[Path]:
    """First screen and whole page at both widths in both themes; the first screens are returned."""
    firsts: list[Path] = []
    for width, height in SCREENS:
        for theme in THEMES:
            size = {"width": width, "height": height}
            found = visit(browser, page, viewport=size, color_scheme=theme)
            found.drawn(theme)
            name = f"{page.stem}-{width}-{theme}"
            firsts.append(out / f"{name}-first.png")
            found.page.screenshot(path=firsts[-1])
            found.page.screenshot(path=out / f"{name}.png", full_page=True)
            found.page.close()
    return firsts


def contact_sheet(browser: Browser, pictures: list[Path], target: Path, columns: int = 4) -> None:
    """Pictures side by side, with their names below, as one picture."""
    cells = "".join(
        f'<figure><img src="{one.resolve().as_uri()}"><figcaption>{one.stem}</figcaption></figure>'
        for one in pictures
    )
    style = (
        f"body{{margin:12px;display:grid;grid-template-columns:repeat({columns},1fr);gap:12px;"
        "align-items:start;background:#888;font:12px sans-serif}figure{margin:0}img{width:100%}"
    )
    sheet = target.with_suffix(".html")
    sheet.write_text(f"<!doctype html><style>{style}</style>{cells}", encoding="utf-8")
    page = browser.new_page(viewport={"width": 480 * columns, "height": 800})
    page.goto(sheet.resolve().as_uri())
    page.screenshot(path=target, full_page=True)
    page.close()
    sheet.unlink()


def main() -> None:
    """Make the pages, photograph them, and lay out the sheets."""
    OUT.mkdir(parents=True, exist_ok=True)
    firsts: list[Path] = []
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        for page in pages(Path(folder)):
            shots = photograph(browser, page, OUT)
            firsts += shots
            whole = [shot.with_name(shot.name.replace("-first", "")) for shot in shots]
            contact_sheet(browser, whole, OUT / f"sheet-{page.stem}.png")
            print(f"{page.stem}: {page.stat().st_size / 1000:.0f} kB")  # noqa: T201
        contact_sheet(browser, firsts, OUT / "first.png")
    print(f"Sheets: {OUT}")  # noqa: T201


if __name__ == "__main__":
    main()
