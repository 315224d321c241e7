"""The pictures of gallery and results: `python docs/pictures/gallery.py` runs and photographs them.

Needs chromium. The noise has no seed, so the pictures differ a little each time.
"""

from __future__ import annotations

import os
import runpy
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import privopt as po

HERE = Path(__file__).parent


def main() -> None:
    """Write a PNG for each example."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 820, "height": 420})
        names = ["policy"]
        _policy().plot().save(Path(folder) / "policy.html")
        for example in sorted((HERE.parents[1] / "examples").glob("*.py")):
            runpy.run_path(str(example), run_name="__main__")
            names.append(example.stem)
        for name in names:
            page.goto((Path(folder) / f"{name}.html").as_uri())
            page.add_style_tag(content=".modebar { display: none }")
            page.wait_for_timeout(500)
            page.screenshot(path=str(HERE / f"{name}.png"))


def _policy() -> po.Policy:
    """The policy of docs/howto/results.md."""
    drawn = po.experiments.instance("14_ieee", 2)
    privacy, limits = po.Laplace(epsilon=1.0, alpha=0.02), po.Analytic(eta=0.025, margin="unimodal")
    return po.design(drawn.program, drawn.query, privacy, limits, domain=drawn.domain, fidelity=1.0)


if __name__ == "__main__":
    main()
