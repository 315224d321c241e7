"""Examples in docstrings and on the pages run as printed."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from tests.deterministic import Deterministic

import privopt

ROOT = Path(__file__).parent.parent


@pytest.mark.long
def test_docstrings() -> None:
    tried = 0
    for module in pkgutil.walk_packages(privopt.__path__, "privopt."):
        result = doctest.testmod(importlib.import_module(module.name))
        assert result.failed == 0, module.name
        tried += result.attempted
    result = doctest.testmod(privopt)
    assert result.failed == 0
    assert tried + result.attempted > 5


PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if "```python" in page.read_text(encoding="utf-8")
]


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run_as_printed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One after the other, in an empty folder; the noise repeats itself.

    A release that cannot be completed comes as often as eta allows: not in a test.
    """
    monkeypatch.chdir(tmp_path)
    Deterministic(seed=1).install(monkeypatch)
    text = page.read_text(encoding="utf-8")
    scope: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(compile(block, page.name, "exec"), scope)  # noqa: S102 -- our own page
