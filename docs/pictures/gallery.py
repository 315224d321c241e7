"""The pictures of gallery and results: `python -m docs.pictures.gallery` runs the examples.

Needs chromium. Each example writes a page; its picture is taken as SVG, in colours that follow
light and dark. The noise has no seed, so the pictures differ a little each time.
"""

from __future__ import annotations

import os
import re
import runpy
import shutil
import tempfile
from pathlib import Path
from urllib.parse import unquote

from docs.pictures.dark import follows_dark
from playwright.sync_api import sync_playwright

import privopt as po

HERE = Path(__file__).parent
TAKEN = """() => Plotly.toImage(document.querySelector(".js-plotly-plot"),
    {format: "svg", width: 820, height: 420})"""
TAG, DIGITS = re.compile(r"<[^>]*>"), re.compile(r"(\d+\.\d\d)\d+")


def main() -> None:
    """Write a picture for each example."""
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
            page.wait_for_selector(".js-plotly-plot .main-svg")
            taken = unquote(page.evaluate(TAKEN).partition(",")[2])
            picture = follows_dark(TAG.sub(_shorter, taken))
            (HERE / f"{name}.svg").write_text(picture + "\n", encoding="utf-8")


def _shorter(tag: re.Match[str]) -> str:
    """A tag with places to a hundredth of a pixel; text keeps its digits."""
    return DIGITS.sub(r"\1", tag[0])


def _policy() -> po.Policy:
    """The policy of docs/howto/results.md."""
    drawn = po.experiments.instance("14_ieee", 2)
    privacy, limits = po.Laplace(epsilon=1.0, alpha=0.02), po.Analytic(eta=0.025, margin="unimodal")
    return po.design(drawn.program, drawn.query, privacy, limits, domain=drawn.domain, fidelity=1.0)


if __name__ == "__main__":
    main()
