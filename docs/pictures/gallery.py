"""The pictures of the gallery: `python -m docs.pictures.gallery` runs the examples.

Each example ends with a `picture`, which is kept as SVG. The noise has no seed, so the pictures
differ a little each time.
"""

from __future__ import annotations

import os
import runpy
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Write a picture for each example."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # their ledgers and pages are left there
        for example in sorted((HERE.parents[1] / "examples").glob("*.py")):
            shown = runpy.run_path(str(example), run_name="__main__")["picture"]
            shown.save(HERE / f"{example.stem}.svg")


if __name__ == "__main__":
    main()
