"""The pictures of the gallery: `python docs/pictures/gallery.py` runs and photographs each example.

Needs chromium. The noise has no seed, so the pictures differ a little each time.
"""

from __future__ import annotations

import os
import runpy
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent


def main() -> None:
    """Write a PNG for each example."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 820, "height": 420})
        for example in sorted((HERE.parents[1] / "examples").glob("*.py")):
            runpy.run_path(str(example), run_name="__main__")
            page.goto((Path(folder) / f"{example.stem}.html").as_uri())
            page.add_style_tag(content=".modebar { display: none }")
            page.wait_for_timeout(500)
            page.screenshot(path=str(HERE / f"{example.stem}.png"))


if __name__ == "__main__":
    main()
