"""No random program over several periods ends the interpreter, or in an error that is not ours."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXPECTED = {"decided", "NoDecisionError", "InfeasibleError", "NotImplementableError", "InputError"}


def ended(first: int, last: int) -> Counter[str]:
    """How the programs of some seeds ended, in a process of their own."""
    made = subprocess.run(
        [sys.executable, "-m", "tests.mechanisms.measured.random_horizons", str(first), str(last)],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
    )  # fmt: skip
    assert made.returncode == 0, made.stdout + made.stderr
    lines = [line.split() for line in made.stdout.splitlines()]
    assert [int(line[0]) for line in lines] == list(range(first, last))
    return Counter(line[1] for line in lines)


@pytest.mark.long
def test_three_random_horizons_end_well() -> None:
    found = ended(2, 5)
    assert set(found) <= EXPECTED
    assert found["decided"] >= 2


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 20))
def test_two_hundred_random_horizons_end_well(first: int) -> None:
    found = ended(first, first + 20)
    assert set(found) <= EXPECTED
    assert found["decided"] >= 6
