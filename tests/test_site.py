"""The site builds without a warning: every page in its place, every link and reference found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.long
def test_the_site_builds_strictly_and_fetches_nothing(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    home = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "measured.svg" in home
    for page in tmp_path.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert 'src="http' not in text, page
        assert "fonts.googleapis" not in text, page
    gallery = (tmp_path / "gallery.html").read_text(encoding="utf-8")
    assert gallery.count("design") >= len(list((ROOT / "examples").glob("*.py")))  # their code
    assert "examples/" not in gallery.replace("examples/....py", "")  # and not where it lies
    reference = (tmp_path / "reference.html").read_text(encoding="utf-8")
    assert "privopt.Policy.release" in reference
