"""Random programs with measurements of their data, and the whole decision in plain CVXPY."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import cvxpy as cp
import numpy as np

import privopt as po
from privopt.arrays import Dense, Vector
from privopt.errors import InfeasibleError
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.mechanisms.measured.belief import Belief
from privopt.mechanisms.measured.deciding import DRAWS
from privopt.noise.calibration import Privacy
from privopt.solving.robust.region import Region

KINDS = ("nothing", "total", "zones", "overlapping", "each", "more rows than entries", "several")


@dataclass(frozen=True)
class Case:
    """A program, what is asked of it, and the instruments that look at its data."""

    program: po.ConvexProgram
    query: Any
    domain: Any
    privacy: Privacy
    sums: tuple[Dense, ...]
    feasibility: Any
    fidelity: float
    balance: Any = None

    @property
    def instruments(self) -> list[Instrument]:
        return [
            Instrument(W, program=self.program, privacy=self.privacy, domain=self.domain)
            for W in self.sums
        ]

    def simulated(self, u: Vector, rng: np.random.Generator) -> list[Measurement]:
        """Measurements of private entries u with noise of the rng, not the secure one."""
        return [measured(one, u, rng) for one in self.instruments]

    def decide(self, measurements: list[Measurement], **more: Any) -> po.Decision:
        asked = {"fidelity": self.fidelity, "balance": self.balance, **more}
        return po.decide(self.program, self.query, measurements, self.feasibility, **asked)


def measured(instrument: Instrument, u: Vector, rng: np.random.Generator) -> Measurement:
    """The same as `instrument.measure`, with other noise."""
    made = instrument.measure(np.zeros(len(instrument.kernel.data_names)))
    noise = instrument.calibration
    if noise is None or made.release is None:
        return made
    y = instrument.W @ np.clip(u, *instrument.domain)
    y = y + noise.scale * noise.law.sample(rng, (len(y),))
    grid = 2.0**noise.exponent
    return replace(made, release=replace(made.release, values=np.round(y / grid) * grid))


def sums(kind: str, rng: np.random.Generator, q: int) -> tuple[Dense, ...]:
    zones = np.zeros((2, q))
    zones[np.arange(q) % 2, np.arange(q)] = 1.0
    overlapping = rng.normal(size=(2, q))
    return {
        "nothing": (np.zeros((0, q)),),
        "total": (np.ones((1, q)),),
        "zones": (zones,),
        "overlapping": (overlapping,),
        "each": (np.eye(q),),
        "more rows than entries": (np.vstack([np.ones((1, q)), np.eye(q), overlapping]),),
        "several": (np.ones((1, q)), overlapping, 2 * np.eye(q)[:1]),
    }[kind]


def case(seed: int) -> Case:
    """Dense rows and bounds around a known solution; costs with and without curvature."""
    rng = np.random.default_rng(seed)
    n, k = 8, 4
    p = 1 + seed % 2
    G, z0, A = rng.normal(size=(k, n)), rng.normal(size=n), rng.normal(size=(5, n))
    M = rng.normal(size=(n, n))
    private = [0, 1, 3] if seed % 5 == 0 else list(range(k))
    curved = 0.3 * M @ M.T + 0.05 * np.eye(n) if seed % 4 else np.zeros((n, n))
    program = po.ConvexProgram(
        linear=rng.normal(size=n), quadratic=curved, A=A, b=A @ z0 + rng.uniform(0.4, 1.5, 5),
        G=G, d=G @ z0, lower=z0 - rng.uniform(0.5, 2, n), upper=z0 + 2.0, private=private,
    )  # fmt: skip
    q, d = len(private), (G @ z0)[private]
    half = rng.uniform(0.05, 0.4, q) * (6.0 if seed % 9 == 8 else 1.0)
    domain: Any = po.Box(d - half, d + half)
    if seed % 3 == 1:
        row = rng.normal(size=(1, q))
        wide = 0.6 * float(np.abs(row[0]) @ half)
        domain = po.Domain(d - half, d + half, rows=(row, row @ d - wide, [np.inf]))
    S = np.eye(n)[:p] if seed % 6 < 4 else rng.normal(size=(p, n))
    query = po.Identity(list(range(p))) if seed % 6 < 4 else po.Linear(S)
    noise, promise = po.Laplace(epsilon=1.0, alpha=0.03), po.ExactBox(eta=0.1)
    if seed % 7 == 3:
        noise, promise = po.TruncatedLaplace(epsilon=1.0, delta=0.01, alpha=0.02), po.Always()
    if seed % 7 == 5:
        noise = po.Gaussian(epsilon=1.0, delta=1e-4, alpha=0.01)
    return Case(
        program, query, domain, noise, sums(KINDS[seed % len(KINDS)], rng, q), promise,
        2.0 if seed % 3 == 0 else 0.0,
    )  # fmt: skip


FLAT = (
    "a pinned row", "a pinned entry", "a sum measured twice", "a precise sum", "a thin row",
    "a point", "a measured sum pinned", "two pinned rows", "a pinned row twice",
    "a pinned row of two entries, the others pinned", "three pinned rows of rank two",
)  # fmt: skip


def flat(seed: int) -> tuple[str, Case, Vector]:
    """Domains and measurements that leave regions without interior; narrow limits; and d."""
    rng, kind = np.random.default_rng(10_000 + seed), FLAT[seed % len(FLAT)]
    n, q, p = 8, 4, 1 + seed % 2
    G, z0, A, M = (rng.normal(size=shape) for shape in ((q, n), n, (5, n), (n, n)))
    room = rng.uniform(0.02, 0.5)
    program = po.ConvexProgram(
        linear=rng.normal(size=n), quadratic=0.3 * M @ M.T if seed % 4 else np.zeros((n, n)),
        A=A, b=A @ z0 + room * rng.uniform(0.4, 1.5, 5), G=G, d=G @ z0,
        lower=z0 - room * rng.uniform(0.5, 2, n), upper=z0 + 2.0 * room,
    )  # fmt: skip
    d = G @ z0
    half, R, wide, epsilon = rng.uniform(0.05, 0.4, q), rng.normal(size=(2, q)), 0.0, 1.0
    W = np.ones((1, q)) if seed % 5 < 3 else rng.normal(size=(2, q))
    rows = {"a pinned row": R[:1], "a thin row": R[:1], "two pinned rows": R}.get(kind)
    if kind == "a pinned entry":
        half[0] = 0.0
    elif kind == "a point":
        half[:] = 0.0
    elif kind == "a sum measured twice":
        W, epsilon = np.vstack([W, W]), 50.0
    elif kind == "a precise sum":
        epsilon = 10.0 ** rng.integers(2, 7)
    elif kind == "a thin row":
        wide = 10.0 ** -rng.integers(4, 14)
    elif kind == "a measured sum pinned":
        rows = W[:1]
    elif kind == "a pinned row twice":
        rows = np.vstack([R[:1], -2 * R[:1]])
    elif kind == "three pinned rows of rank two":
        rows = np.vstack([R, R.sum(axis=0)])
    elif kind.startswith("a pinned row of two"):
        rows, half[2:] = np.array([[1.0, 1.0, 0.0, 0.0]]), 0.0
    known = None if rows is None else (rows, rows @ d - wide, rows @ d + wide)
    return kind, Case(
        program, po.Identity(list(range(p))), po.Domain(d - half, d + half, rows=known),
        po.Laplace(epsilon=epsilon, alpha=0.03), (W,), po.ExactBox(eta=0.1), 0.0,
    ), d  # fmt: skip


def inside(one: Case, rng: np.random.Generator) -> Vector:
    """Private entries within the domain, its rows included."""
    q = len(one.program.private)
    lower, upper = one.domain.ends(q)
    W, low, high = one.domain.slabs(one.program.private_names)
    while True:
        u = rng.uniform(lower, upper)
        if (W @ u >= low).all() and (W @ u <= high).all():
            return u


@dataclass(frozen=True)
class Plain:
    """What the plain model comes to (q None: it is infeasible), over which region and columns d."""

    value: float
    q: Vector | None
    region: Region
    d: Dense


def plain(one: Case, measurements: list[Measurement], within: float | None = None) -> Plain:
    """q, z0, K, multipliers and a completion for each draw, in one program.

    The root mean square distance of q from the answers at the draws is `within` a bound, if given.
    """
    program = one.program
    belief = Belief.of(measurements, program)
    region = belief.region(one.feasibility)
    draws = belief.draws(DRAWS, np.random.default_rng(0), within=region)
    n, r, count = program.n, len(region.W), len(draws)
    S = one.query.matrix(program).toarray()
    A, b = program.rows.matrix.toarray(), program.rows.bound
    G, F = program.G.toarray(), np.eye(program.G.shape[0])[:, program.private]
    d = np.tile(program.d[:, None], (1, count))
    d[program.private] = draws.T
    middle = program.d.copy()
    middle[program.private] = region.middle
    z: Any = cp.Variable((n, count))
    z0, K, q = cp.Variable(n), cp.Variable((n, len(region.half))), cp.Variable(len(S))
    rows = [G @ z == d, A @ z <= b[:, None], S @ z == q[:, None] @ np.ones((1, count))]
    rows += [G @ z0 == middle, G @ K - F == 0, S @ K == 0, S @ z0 == q]
    if r:
        up, down = (cp.Variable((len(b), r), nonneg=True) for _ in range(2))
        margin = cp.abs(A @ K - (up - down) @ region.W) @ region.half
        margin = margin + up @ region.high - down @ region.low
    else:
        margin = cp.abs(A @ K) @ region.half
    cost = cp.sum(_costs(program, z)) / count
    if one.fidelity or within is not None:
        answers = S @ _optima(program, d)
        mean = answers.mean(axis=1)
        extra = float(np.square(answers.T - mean).sum(axis=1).mean())
        cost = cost + one.fidelity * (cp.sum_squares(q - mean) + extra)
        if within is not None:
            rows.append(cp.sum_squares(q - mean) <= within**2 - extra)
    model = cp.Problem(cp.Minimize(cost), [*rows, A @ z0 + margin <= b])
    value = _solved(model)
    return Plain(float(value), None if q.value is None else np.asarray(q.value), region, d)


def objective(one: Case, q: Vector, known: Plain) -> float:
    """What decided values come to at the draws of the plain model, each completed at its best."""
    program, S = one.program, one.query.matrix(one.program).toarray()
    z: Any = _optima(program, known.d, S, q)
    total = float(np.mean(_costs(program, z).value))
    if one.fidelity:
        off = q[:, None] - S @ _optima(program, known.d)
        total += one.fidelity * float(np.square(off).sum(axis=0).mean())
    return total


def distance(one: Case, q: Vector, known: Plain) -> float:
    """Root mean square distance of decided values from the answers at the draws of the model."""
    answers = one.query.matrix(one.program).toarray() @ _optima(one.program, known.d)
    return float(np.sqrt(np.square(answers - q[:, None]).sum(axis=0).mean()))


def _costs(program: po.ConvexProgram, z: Any) -> Any:
    """The cost of each column of z."""
    values, vectors = np.linalg.eigh(program.quadratic.toarray())
    half = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    return program.linear @ z + cp.sum(cp.square(half @ z), axis=0)


def _optima(
    program: po.ConvexProgram, d: Dense, S: Dense | None = None, q: Vector | None = None
) -> Dense:
    """Optima at each column of d, with S z = q if that is given."""
    z: Any = cp.Variable((program.n, d.shape[1]))
    A, b = program.rows.matrix.toarray(), program.rows.bound
    rows = [program.G.toarray() @ z == d, A @ z <= b[:, None]]
    if S is not None and q is not None:
        rows.append(S @ z == np.tile(q[:, None], (1, d.shape[1])))
    model = cp.Problem(cp.Minimize(cp.sum(_costs(program, z))), rows)
    _solved(model)
    if z.value is None:
        raise InfeasibleError("some draw has no solution with these values.", "one.", "none.")
    return np.asarray(z.value)


def _solved(model: Any) -> float:
    """The optimal value; of what the solver calls inaccurate, too (it is compared to 1e-5)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return float(model.solve(solver=cp.CLARABEL))
