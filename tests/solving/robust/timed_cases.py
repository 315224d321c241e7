"""Small horizons in the units in which they are decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

import privopt as po
from privopt.arrays import Dense, Vector
from privopt.solving.equilibration import scaled
from privopt.solving.robust.region import Region
from privopt.solving.robust.timed import Timed
from privopt.solving.robust.timed_gain import TimedGain
from privopt.solving.robust.timed_program import TimedProgram
from privopt.solving.scaling import Scaling
from privopt.solving.solver import Settings


@dataclass(frozen=True)
class Horizon:
    """A program with periods, a query, a region, and draws in it."""

    program: Any
    S: Dense
    region: Region
    draws: Dense

    @property
    def scaling(self) -> Scaling:
        return Scaling.of(self.program, self.program.right_hand_side(self.region.middle))

    def targets(self, u: Dense) -> Dense:
        whole = np.tile(self.program.equalities.bound, (len(u), 1))
        whole[:, self.program.private] = u
        return (whole * self.scaling.equality_factors)[:, self.program.independent]

    @property
    def gains(self) -> TimedGain:
        program, scaling = self.program, self.scaling
        F = np.diag(scaling.equality_factors)[program.independent][:, program.private]
        G, follows = scaling.independent(program), sp.csr_array(F)
        periods = program.periods
        timed = Timed.of(G, follows, periods.of, len(periods), program.fixed)
        S = sp.csr_array(self.S)
        query = scaled(S, scaling.columns, scaling.query_factors(S))
        return TimedGain(timed, scaling.rows(program.rows.matrix), G, query, follows)

    @property
    def choice(self) -> TimedProgram:
        program, scaling, gains = self.program, self.scaling, self.gains
        b, p = scaling.bounds(program.rows.bound), len(self.S)
        return TimedProgram(
            A=gains.A, limits=b, sizes=1 + np.abs(b), G=gains.G, targets=self.targets(self.draws),
            middle=self.targets(self.region.middle[None])[0],
            linear=scaling.linear(program.linear),
            quadratic=scaling.quadratic(program.quadratic), S=gains.S, fidelity=np.zeros(p),
            answer=np.zeros(p), entered=np.diff(gains.A.indptr) == 1, settings=Settings(),
        )  # fmt: skip


def region_of(middle: Vector, share: float, W: Dense, width: float) -> Region:
    half = share * np.abs(middle)
    at = W @ middle
    return Region.of(middle - half, middle + half, W, at - width, at + width)


def network(
    T: int = 3, name: str = "5_pjm", share: float = 0.05, width: float = 0.2, *, store: bool = True
) -> Horizon:
    """A few hours of a network, its hourly totals measured; the unit at the first bus released."""
    found = po.networks.load(name)
    stores = [po.networks.Storage(3, 0.5, 0.3, 0.9)] if store else []
    profile = 0.8 + 0.1 * np.sin(np.arange(T))
    program = found.program(periods=T, profile=profile, ramps=0.4, storage=stores)
    W = np.zeros((T, len(program.private)))
    W[program.periods.of, np.arange(len(program.private))] = 1.0
    region = region_of(program.d[program.private], share, W, width)
    rng = np.random.default_rng(0)
    draws = region.middle + region.half * rng.uniform(-0.5, 0.5, (3, len(region.half)))
    draws -= ((draws - region.middle) @ W.T @ W) / W.sum(axis=1)[0]  # the middle's totals
    S = po.Identity([k for k, one in enumerate(program.names) if one.startswith("p[3]")])
    return Horizon(program, S.matrix(program).toarray(), region, draws)


def inventory(T: int = 4, room: float = 6.0) -> Horizon:
    """Orders that are released before demand is known: the stock has to follow.

    stock_t = stock_(t-1) + order_t - demand_t
    """
    G = np.hstack([np.eye(T) - np.eye(T, k=-1), -np.eye(T)])
    program = po.ConvexProgram(
        linear=np.concatenate([np.full(T, 0.1), np.ones(T)]),
        quadratic=np.concatenate([np.full(T, 0.02), np.full(T, 0.05)]),
        G=-G, d=np.full(T, 2.0), lower=0.0, upper=room,
        names=[*(f"stock[{t}]" for t in range(T)), *(f"order[{t}]" for t in range(T))],
    ).over(po.Periods.grid(range(T), ["shop"]))  # fmt: skip
    region = region_of(np.full(T, 2.0), 0.25, np.ones((1, T)), 0.6)
    rng = np.random.default_rng(1)
    draws = 2.0 + 0.5 * rng.uniform(-0.3, 0.3, (3, T))
    S = np.hstack([np.zeros((T, T)), np.eye(T)])
    return Horizon(program, S, region, draws)
