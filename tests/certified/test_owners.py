"""Alpha by entry, owners, change: neighbours of every kind, in exact fractions from saved files.

The adversary moves the entries of one owner as far as the relation allows: one entry, all of them
with signs that add up in a value, random signs, a total split among them; data lie inside, at the
ends, outside of the domain and between floats.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.certified.stored import Stored, exact_distance, read

import privopt as po
from privopt.kernel.instrument import Instrument

Pair = tuple[list[Fraction], list[Fraction]]


def relation(rng: np.random.Generator, q: int) -> dict[str, Any]:
    """Alpha, owners and change of some kind."""
    alpha = 10 ** rng.uniform(-2, 0)
    by_entry = (alpha * rng.uniform(0.2, 3, q)).tolist()
    if rng.random() < 0.2:
        by_entry[int(rng.integers(q))] = 0.0
        by_entry[int(rng.integers(q))] = alpha
    return {
        "alpha": alpha if rng.random() < 0.4 else by_entry,
        "owners": None if rng.random() < 0.25 else rng.integers(0, 3, q).tolist(),
        "change": str(rng.choice(["each", "total"])),
    }


def noise(rng: np.random.Generator, q: int) -> Any:
    """Some noise for some relation."""
    epsilon, given = float(10 ** rng.uniform(-1, 1)), relation(rng, q)
    kind = int(rng.integers(3))
    if kind == 0:
        return po.Laplace(epsilon=epsilon, **given)
    delta = float(10 ** rng.uniform(-6, -2))
    family = po.Gaussian if kind == 1 else po.TruncatedLaplace
    return family(epsilon=epsilon, delta=delta, **given)


def pairs(stored: Stored, rng: np.random.Generator, count: int) -> Iterator[Pair]:
    """Neighbours by what the file says they are."""
    alphas, total = stored.alphas, stored.whole["noise"].get("change") == "total"
    for turn in range(count):
        group = stored.owners[int(rng.integers(len(stored.owners)))]
        d = [low + Fraction(rng.choice([0.0, 1.0, rng.uniform(-0.2, 1.2)])) * (high - low)
             for low, high in stored.box]  # fmt: skip
        if turn % 3 == 0:  # between floats
            d = [x + alphas[0] * Fraction(int(rng.integers(-999, 999)), 10**17) for x in d]
        row = stored.matrix[int(rng.integers(len(stored.matrix)))]
        agree = [1 if row[j] >= 0 else -1 for j in range(len(row))]
        signs = agree if turn % 2 else rng.choice([-1, 1], len(row)).tolist()
        share = [Fraction(1)] * len(row)
        if total:
            parts = [int(v) for v in rng.integers(0, 100, len(group))]
            if turn % 4 == 0:
                parts = [int(n == turn // 4 % len(group)) for n in range(len(group))]
            whole = max(sum(parts), 1)
            for j, part in zip(group, parts, strict=True):
                share[j] = Fraction(part, whole)
        elif turn % 5 == 0:
            group = [group[int(rng.integers(len(group)))]]
        other = list(d)
        for j in group:
            other[j] = d[j] + signs[j] * share[j] * alphas[j]
        yield d, other


def worst_ratio(path: Path, rng: np.random.Generator, count: int) -> float:
    """The largest distance of neighbours over what is charged for; never above one."""
    stored = read(path)
    if stored.noise is None:
        assert not any(value for row in stored.matrix for value in row)
        return 0.0
    worst = 0.0
    for d, other in pairs(stored, rng, count):
        moved = exact_distance(stored, d, other)
        assert moved.within(stored.noise.sensitivity, stored.order)
        worst = max(worst, moved.of(stored.order) / float(stored.noise.sensitivity))
    return worst


def instrument(rng: np.random.Generator) -> Instrument:
    """Some sums, or any matrix, of some entries."""
    q, r = int(rng.integers(1, 9)), int(rng.integers(1, 5))
    W = rng.integers(-1, 2, (r, q)).astype(float) if rng.random() < 0.5 else rng.normal(size=(r, q))
    W[~W.any(axis=1)] = 1.0
    lower = rng.uniform(-3, 3, q) + float(rng.choice([0.0, 200.0]))
    box = po.Box(lower, lower + rng.uniform(0, 3, q))
    names = SimpleNamespace(data_names=tuple(f"d{j}" for j in range(q)), private=np.arange(q))
    return Instrument(W, program=names, privacy=noise(rng, q), domain=box)


def check_instruments(folder: Path, count: int, each: int) -> float:
    rng, worst = np.random.default_rng(18), 0.0
    for turn in range(count):
        made = instrument(rng)
        made.save(folder / f"{turn}.json")
        worst = max(worst, worst_ratio(folder / f"{turn}.json", rng, each))
        again = Instrument.load(folder / f"{turn}.json")
        assert again.privacy == made.privacy
        assert again.to_dict() == made.to_dict()
    return worst


@pytest.mark.long
def test_measurements_move_by_no_more_than_is_charged(tmp_path: Path) -> None:
    worst = check_instruments(tmp_path, 30, 24)
    assert worst > 0.999  # so a bound that is a little too small is seen


@pytest.mark.slow
def test_a_thousand_instruments(tmp_path: Path) -> None:
    check_instruments(tmp_path, 1000, 60)


@pytest.mark.parametrize("seed", range(6))
def test_policies_move_by_no_more_than_is_charged(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    q = int(rng.integers(2, 5))
    program = po.ConvexProgram(
        linear=rng.uniform(1, 2, 2 * q), quadratic=rng.uniform(0.5, 1, 2 * q),
        A=np.zeros((0, 2 * q)), b=np.zeros(0), G=np.hstack([np.eye(q), np.eye(q)]), d=None,
        lower=np.full(2 * q, -50.0), upper=np.full(2 * q, 50.0),
    )  # fmt: skip
    asked = noise(rng, q)
    kept = po.Always() if isinstance(asked, po.TruncatedLaplace) else po.ExactBox(eta=0.1)
    policy = po.design(
        program, po.Identity([0, 1]), asked, kept, domain=po.Box(-1.0, 2.0), fidelity=100.0
    )
    assert policy.calibration is not None
    policy.save(tmp_path / "policy.json")
    worst = worst_ratio(tmp_path / "policy.json", rng, 60)
    assert worst > 0.5
    again = po.Policy.load(tmp_path / "policy.json")
    assert again.privacy == policy.privacy
    assert again.guarantee.privacy == policy.guarantee.privacy
