"""Screenshots of the workbench's screens, and one sheet of them all, to be looked at.

    python -m tests.web.screens [FOLDER]        build/screens/workbench unless given

Four screens, the beginning of the first one and the release done, at 1280 and 390 pixels, light and
dark. Nothing is checked here: the browser tests do that.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

from playwright.sync_api import Browser, Page, expect
from tests.web.browser.visiting import PHONE, WIDE, chromium, computed, frame_of, visiting
from tests.web.workbench import JOB, with_data

import privopt as po
from privopt.web.serving import Bench, opened

OUT = Path("build/screens/workbench")
SIZES = {"1280": WIDE, "390": PHONE}


def screens(page: Page, origin: str) -> Iterator[str]:
    """Go through the screens; the name of each once it can be looked at."""
    page.goto(f"{origin}/model")
    page.locator("#picture .node").first.wait_for()
    yield "1-model"
    page.goto(f"{origin}/design")
    computed(page)
    yield "2-design"
    page.goto(f"{origin}/release")
    frame = frame_of(page)
    frame.locator("#dry-run").click()
    expect(frame.locator("#why")).not_to_contain_text("dry run")
    frame.locator("#look").click()
    frame.locator("#looked .private").wait_for()
    yield "3-release"
    frame.locator("#confirm").fill("first")  # charged once, then replayed
    frame.locator("#release").click()
    frame.locator("#charged").wait_for()
    yield "3-released"
    page.goto(f"{origin}/ledger")
    page.locator("#spent [role=img]").first.wait_for()
    yield "4-ledger"


def taken(browser: Browser, bench: Bench, first: Bench, out: Path) -> list[Path]:
    """All pictures, in the order in which they are shown."""
    found: list[Path] = []
    for scheme in ("light", "dark"):
        for width, size in SIZES.items():
            settings = {"viewport": size, "color_scheme": scheme}
            with visiting(browser, first.address, **settings) as (_, page):
                page.locator(".welcome").wait_for()
                found.append(_shot(page, out, "0-begin", width, scheme))
            with visiting(browser, bench.address, **settings) as (visit, page):
                found += [
                    _shot(page, out, name, width, scheme) for name in screens(page, visit.origin)
                ]
    return found


def _shot(page: Page, out: Path, name: str, width: str, scheme: str) -> Path:
    path = out / f"{name}-{width}-{scheme}.png"
    page.screenshot(path=path, full_page=True)
    return path


def sheet(browser: Browser, pictures: list[Path], path: Path) -> None:
    """One picture of all pictures, side by side at a third of their size."""
    parts = "".join(
        f'<figure><img src="data:image/png;base64,{base64.b64encode(one.read_bytes()).decode()}">'
        f"<figcaption>{escape(one.stem)}</figcaption></figure>"
        for one in pictures
    )
    style = (
        "body{margin:9px;background:#777;display:flex;flex-wrap:wrap;gap:12px;font-family:sans-serif}"
        "figure{margin:0}img{zoom:.34;display:block}figcaption{color:#fff;padding:4px 0}"
    )
    page = browser.new_page(viewport={"width": 1900, "height": 1000})
    page.set_content(f"<style>{style}</style>{parts}")
    page.screenshot(path=path, full_page=True)
    page.close()


def main() -> None:
    """Take them all."""
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else OUT
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        job = with_data(Path(folder))
        job.write_text(JOB.replace("3_lmbd", "14_ieee"))
        network = po.networks.load("14_ieee")
        loads = zip(network.buses.number, network.base_mva * network.buses.demand, strict=True)
        lines = "".join(f"{bus},{1.02 * load}\n" for bus, load in loads if load > 0)
        (job.parent / "loads.csv").write_text(f"bus,load (MW)\n{lines}")
        with (
            opened(job) as bench,
            bench.serving(),
            opened() as first,
            first.serving(),
            chromium() as browser,
        ):
            pictures = taken(browser, bench, first, out)
            sheet(browser, pictures, out / "sheet.png")
    sys.stdout.write(f"{len(pictures)} pictures and sheet.png in {out}\n")


if __name__ == "__main__":
    main()
