"""A thousand random programs: every neighbour within the charge, every row within its margin.

Exact inequalities, no tolerance on the privacy side. What cannot be designed for is counted.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.certified.checks import check_feasibility, check_privacy, check_release
from tests.certified.programs import neighbours, random_case
from tests.certified.stored import read

import privopt as po

COUNT, BLOCK = 1000, 100


def checked(seed: int, path: Path) -> tuple[str, float]:
    """How a design ended, and the largest ratio of a distance to the charged sensitivity."""
    case = random_case(seed)
    try:
        policy = case.design()
    except po.errors.InfeasibleError:
        return "infeasible", 0.0
    except po.errors.SolverError:
        return "stalled", 0.0
    policy.save(path)
    stored, rng = read(path), np.random.default_rng(seed)
    ratio = check_privacy(path, neighbours(stored, rng))
    points = [pair[0] for pair in neighbours(stored, rng, 12)]
    check_release(policy, path, points)
    if seed % 4 == 0:
        check_release(po.Policy.load(path), path, points)
    check_feasibility(path, case)
    return "constant" if stored.noise is None else "noisy", ratio


def run(seeds: range, path: Path) -> None:
    """Check some seeds; most must come out with noise, and the bound must be reached by some."""
    ends: Counter[str] = Counter()
    ratios: list[float] = []
    for seed in seeds:
        try:
            end, ratio = checked(seed, path)
        except Exception as error:
            raise AssertionError(f"random_case({seed})") from error
        ends[end] += 1
        ratios.append(ratio)
    assert ends["infeasible"] < 0.2 * len(seeds)
    assert ends["stalled"] <= 0.02 * len(seeds)
    assert ends["noisy"] > 0.5 * len(seeds)
    # A bound that nobody comes near would hide a fault: the worst pair is at it, up to the grid.
    assert max(ratios) > 1 - 1e-9


@pytest.mark.long
def test_some_random_programs(tmp_path: Path) -> None:
    run(range(25), tmp_path / "policy.json")


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, COUNT, BLOCK))
def test_a_thousand_random_programs(start: int, tmp_path: Path) -> None:
    run(range(start, start + BLOCK), tmp_path / "policy.json")
