"""Examples in docstrings and in the README run as printed."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import privopt

ROOT = Path(__file__).parent.parent


def test_docstrings() -> None:
    tried = 0
    for module in pkgutil.walk_packages(privopt.__path__, "privopt."):
        result = doctest.testmod(importlib.import_module(module.name))
        assert result.failed == 0, module.name
        tried += result.attempted
    result = doctest.testmod(privopt)
    assert result.failed == 0
    assert tried + result.attempted > 5


def test_readme_python_blocks_run() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert blocks
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), scope)  # noqa: S102 -- our own README
