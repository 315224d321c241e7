"""What must hold after an input: whole files, safe policies, our errors and no others."""

from __future__ import annotations

import contextlib
import io
import json
import math
import tomllib
import warnings
from collections.abc import Generator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
from tests.certified.checks import check_charge
from tests.certified.stored import Stored, power, read
from tests.fuzz.inputs import Rng

import privopt as po
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


def check_safe(policy: po.Policy, folder: Path, rng: Rng) -> None:
    """The noise of a loaded policy covers its map, by a computation of its own; it can release."""
    again = folder / "again.json"
    policy.save(again)
    assert po.Policy.load(again).to_dict() == policy.to_dict()
    stored = read(again)
    sizes = {len(stored.offset), len(policy.names), policy.S.shape[0], len(stored.matrix)}
    assert len(sizes) == 1, sizes
    assert len(stored.low) == len(stored.high) == len(policy.program.private)
    if stored.noise is None:
        assert not any(value for row in stored.matrix for value in row)
    else:
        assert stored.noise.size == len(stored.offset)
        assert _moves(stored) <= stored.noise.sensitivity
        check_charge(stored, stored.noise)
    size = policy.program.G.shape[0]
    for d in (np.zeros(size), rng.normal(size=size) * 1e3, np.full(size, 1e300)):
        with refusals():
            release = policy.release(d)
            assert len(release.values) == len(release.names) == len(stored.offset)
            assert np.isfinite(release.values).all()
            assert stored.noise is None or Fraction(release.epsilon) == stored.noise.epsilon
    repr(policy)


def _moves(stored: Stored) -> Fraction:
    """How far neighbours lie apart at most, before the noise, with a step of its grid a value."""
    most = math.floor(stored.alpha * power(stored.coarse)) + 1
    unit, cell, p = power(-stored.fine - stored.coarse), power(stored.grid), len(stored.offset)
    found = Fraction(0)
    for j, (low, high) in enumerate(zip(stored.low, stored.high, strict=True)):
        assert low <= high
        column = [abs(row[j]) * min(most, high - low) for row in stored.matrix]
        size = sum(column) if stored.order == 1 else math.isqrt(sum(v * v for v in column))
        found = max(found, size * unit)
    return found + (p if stored.order == 1 else math.isqrt(p)) * cell
