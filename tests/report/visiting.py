"""Chromium, an open page, and all that it said and asked for; and axe's findings on it."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

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


@contextmanager
def chromium() -> Generator[Browser]:
    """A running browser."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=CHROMIUM, args=list(FLAGS), timeout=PATIENCE
        )
        yield running
        running.close()


def serious(page: Page) -> list[str]:
    """What axe finds that is serious or critical, with the elements it concerns."""
    return [
        f"{one['id']}: {[node['target'] for node in one['nodes']]}"
        for one in Axe().run(page).response["violations"]
        if one["impact"] in ("serious", "critical")
    ]
