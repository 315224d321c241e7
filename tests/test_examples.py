"""The gallery: short files that run as they stand, in an empty folder, and write their picture."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from tests.deterministic import Deterministic

import privopt as po

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.long
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # A release that cannot be completed comes as often as eta allows: not in a test.
    Deterministic(seed=1).install(monkeypatch)
    runpy.run_path(str(example), run_name="__main__")
    assert (tmp_path / f"{example.stem}.html").read_text(encoding="utf-8").endswith("</html>\n")
    for path in tmp_path.glob("*.ledger"):
        assert po.Ledger(path, read_only=True).verify().released == 1


def test_examples_are_short_and_all_on_the_page() -> None:
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert len(EXAMPLES) >= 5
    for example in EXAMPLES:
        assert len(example.read_text(encoding="utf-8").splitlines()) < 60
        assert f'"examples/{example.name}"' in page
        assert (ROOT / "docs" / "pictures" / f"{example.stem}.svg").is_file()
