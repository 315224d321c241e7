"""The pictures of gallery and results: `python -m docs.pictures.gallery` runs the examples.

Each example ends with a `picture`, which is kept as SVG. The noise has no seed, so the pictures
differ a little each time.
"""

from __future__ import annotations

import os
import runpy
import tempfile
from pathlib import Path

import privopt as po

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Write a picture for each example."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # their ledgers and pages are left there
        _policy().plot().save(HERE / "policy.svg")
        for example in sorted((HERE.parents[1] / "examples").glob("*.py")):
            shown = runpy.run_path(str(example), run_name="__main__")["picture"]
            shown.save(HERE / f"{example.stem}.svg")


def _policy() -> po.Policy:
    """The policy of docs/howto/results.md."""
    drawn = po.experiments.instance("14_ieee", 2)
    privacy, limits = po.Laplace(epsilon=1.0, alpha=0.02), po.Analytic(eta=0.025, margin="unimodal")
    return po.design(drawn.program, drawn.query, privacy, limits, domain=drawn.domain, fidelity=1.0)


if __name__ == "__main__":
    main()
