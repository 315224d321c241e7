"""What must hold after an input: whole files, our errors and no others."""

from __future__ import annotations

import contextlib
import io
import json
import tomllib
import warnings
from collections.abc import Generator
from pathlib import Path

import pandas as pd

from privopt.errors import PrivoptError
from privopt.ledger import Ledger


@contextlib.contextmanager
def refusals() -> Generator[None]:
    """Our errors are an answer; anything else is not."""
    with contextlib.suppress(PrivoptError):
        yield


@contextlib.contextmanager
def quiet() -> Generator[None]:
    """Numbers such as 1e308 overflow somewhere in a solve: a warning, and no traceback."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }


def check_whole(folder: Path, before: dict[str, bytes]) -> None:
    """Every file is as it was, or whole; nothing temporary is left and nothing is gone."""
    after = contents(folder)
    gone = before.keys() - after.keys() - {"drawing.json"}
    assert not gone, f"{gone} is gone"
    for name, content in after.items():
        left = name.endswith((".part", "-journal")) or "-key-" in name
        assert not left, f"{name} is left"
        if name.endswith(("-wal", "-shm")):  # SQLite's: who only looks cannot remove them
            continue
        if before.get(name) != content:
            check_file(folder / name, content)


def check_file(path: Path, content: bytes) -> None:
    """Whole as what it begins like; a name is free."""
    start = content[:15].lower()
    if start.startswith(b"sqlite format 3"):
        with Ledger(path, read_only=True) as ledger:
            ledger.verify()
    elif start.startswith((b"<html", b"<!doctype html")):
        assert content.rstrip().endswith(b"</html>"), path
    elif start.startswith(b"par1"):
        pd.read_parquet(io.BytesIO(content))  # a path of odd bytes is none to pyarrow
    elif path.suffix == ".journal":
        assert content.endswith(b"\n"), path
        assert all(isinstance(json.loads(line), dict) for line in content.splitlines()), path
    elif start.startswith(b"# a job"):
        tomllib.loads(content.decode())
    elif start.startswith(b"name,value"):
        assert content.endswith(b"\n"), path
        assert all(line.count(b",") for line in content.splitlines()), path
    else:
        json.loads(content)
