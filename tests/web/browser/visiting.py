"""The workbench in a real browser: a visit notes what the pages say, ask for and answer."""

from __future__ import annotations

import re
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import (
    Browser,
    BrowserContext,
    Frame,
    Page,
    Response,
    expect,
    sync_playwright,
)

CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
PATIENCE = 60_000  # milliseconds: a busy machine is no failure
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}

expect.set_options(timeout=PATIENCE)


@dataclass
class Visit:
    """Tabs of one browser, and all that they said, asked for and were answered."""

    context: BrowserContext
    origin: str
    faults: list[str] = field(default_factory=list[str])
    requests: list[str] = field(default_factory=list[str])
    answers: list[Response] = field(default_factory=list[Response])

    def tab(self, address: str) -> Page:
        """Another tab, at an address (or a path) of the workbench."""
        page = self.context.new_page()
        page.goto(address if "://" in address else self.origin + address)
        return page


@contextmanager
def chromium() -> Generator[Browser]:
    """A browser."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(FLAGS), timeout=PATIENCE
        )
        try:
            yield running
        finally:
            running.close()


@contextmanager
def visiting(browser: Browser, address: str, **settings: Any) -> Generator[tuple[Visit, Page]]:
    """A visit from the address with its token, and its first tab."""
    context = browser.new_context(**{"viewport": WIDE, **settings})
    context.set_default_timeout(PATIENCE)
    found = Visit(context, "/".join(address.split("/")[:3]))
    context.on("weberror", lambda error: found.faults.append(str(error.error)))
    context.on("request", lambda request: found.requests.append(request.url))
    context.on("response", lambda response: found.answers.append(response))
    try:
        yield found, found.tab(address)
    finally:
        context.close()


def computed(page: Page) -> None:
    """Wait until the design of the form is done."""
    expect(page.locator(".progress .stage")).to_have_attribute("data-status", "done")


def begun(page: Page) -> None:
    """Wait until the first answer of the form's design is on the screen."""
    expect(page.locator("#worth.stale, #claims:not(:has(.claim))")).to_have_count(0)


def state(page: Page) -> dict[str, Any]:
    """What the server has."""
    return page.evaluate(
        "fetch('/api/state', {headers: {'X-Privopt-Key': localStorage.getItem('privopt-key')}})"
        ".then(answer => answer.json())"
    )


def saved(page: Page, **entries: str | None) -> None:
    """Wait until the server's form has these entries; None: has them not."""
    form: dict[str, str] = {}
    for _ in range(PATIENCE // 50):
        form = state(page)["form"]
        if all(form.get(name) == text for name, text in entries.items()):
            return
        page.wait_for_timeout(50)
    raise AssertionError((entries, form))


def frame_of(page: Page) -> Frame:
    """The curator's page in the screen Release, once it is there."""
    page.frame_locator("#frame").locator("#dry-run:enabled").wait_for()
    return next(one for one in page.frames if one is not page.main_frame)


def no_sideways_scroll(page: Page) -> bool:
    """Whether the page is as wide as its window."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))


def number_in(text: str) -> float:
    """The first number of a text."""
    found = re.search(r"-?[\d,]*\.?\d+", text.replace("\u2212", "-"))
    assert found is not None, text
    return float(found[0].replace(",", ""))
