"""Random instruments, of any noise and neighbours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.kernel.instrument import Instrument
from privopt.noise.calibration import Privacy

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)
BOX = po.Box(0.5, 1.3)
D = [0.7, 0.9, 1.1, 55.0]


def program(size: int, private: list[int] | None = None) -> po.ConvexProgram:
    """A program whose equalities name the entries of d; nothing else of it matters."""
    names = [f"d{i}" for i in range(size)]
    return po.ConvexProgram(
        linear=np.ones(size), G=np.eye(size), d=None, lower=0.0, upper=1e6, private=private,
        data_names=names,
    )  # fmt: skip


def relation(rng: np.random.Generator, q: int) -> dict[str, Any]:
    """Alpha, owners and change of some kind, of q entries."""
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


def noise(rng: np.random.Generator, q: int, *, owners: bool) -> Privacy:
    epsilon, kind = float(10 ** rng.uniform(-2, 1)), int(rng.integers(3))
    given = relation(rng, q) if owners else {"alpha": float(10 ** rng.uniform(-3, 2))}
    if kind == 0:
        return po.Laplace(epsilon=epsilon, **given)
    delta = float(10 ** rng.uniform(-6, -2))
    if kind == 1:
        return po.Gaussian(epsilon=min(epsilon, 5.0), delta=delta, **given)
    return po.TruncatedLaplace(epsilon=epsilon, delta=delta, **given)


def random_instrument(rng: np.random.Generator, *, owners: bool = False) -> Instrument:
    """Any W (zones, weights of many sizes, signs), any box, near zero and far from it.

    With `owners` the neighbours are of any kind, else they differ in one entry by alpha.
    """
    size = int(rng.integers(1, 8))
    chosen = sorted(rng.permutation(size)[: int(rng.integers(1, size + 1))].tolist())
    q, r = len(chosen), int(rng.integers(1, 4))
    privacy = noise(rng, q, owners=owners)
    W = rng.normal(size=(r, q)) * 10 ** rng.uniform(-3, 3)
    if rng.random() < 0.4:
        W = rng.choice([0.0, 1.0, -1.0], (r, q))
        W[~W.any(axis=1), 0] = 1.0
    alpha = privacy.neighbours.largest
    lower = alpha * (rng.choice([0.0, 50.0, -1e5]) + rng.uniform(-3, 3, q))
    upper = lower + alpha * rng.uniform(0, 40, q) * (rng.random(q) < 0.9)
    return Instrument(
        W, program=program(size, chosen), privacy=privacy, domain=po.Box(lower, upper)
    )


def made(W: Any, domain: po.Box = BOX, privacy: Any = NOISE, **more: Any) -> Instrument:
    """Of four entries, of which the first three are private."""
    return Instrument(W, program=program(4, [0, 1, 2]), privacy=privacy, domain=domain, **more)


def saved(one: Instrument, folder: Path) -> dict[str, Any]:
    one.save(folder / "instrument.json")
    return json.loads((folder / "instrument.json").read_text())


def without_noise(monkeypatch: pytest.MonkeyPatch, add: float = 0.0) -> None:
    for name in ("laplace", "gaussian", "truncated_laplace"):
        monkeypatch.setattr(f"privopt.noise.secure.{name}", lambda values, **_: values + add)


def charges(ledger: po.Ledger) -> int:
    return sum(event.request is not None for event in ledger.events)
