"""Verification of a policy by simulation, over the whole domain and not only where it is easy.

Each row is looked at where the domain is worst for it: A_i z exceeds b_i at some u with at most the
probability that A_i z0 + |A_i K| w + A_i Z xi does. All rows together are looked at on the vertices
of the domain that are worst for the tightest rows, or at random points. Completion is asked at the
same points: given the release and the data, does no feasible solution exist?
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Vector
from privopt.claims.estimate import Estimate
from privopt.errors import InputError
from privopt.mechanisms.completion import Completion
from privopt.mechanisms.verify import Verification, check_samples
from privopt.randomness import generator_of
from privopt.solving.scaling import TOLERANCE, Scaling, row_sizes

if TYPE_CHECKING:
    from privopt.mechanisms.policy import Policy

__all__ = ["verify_policy"]

_VERTICES = 20
_BLOCK = 20_000_000  # numbers in memory at once


def verify_policy(
    policy: Policy, samples: int, rng: int | np.random.Generator | None, at: str
) -> Verification:
    """Simulate z(u, xi) at the worst vertices or at random points of the domain."""
    check_samples(samples)
    if at not in ("worst", "random"):
        raise InputError(f"at is {at!r}.", '"worst" or "random".', 'leave it at "worst".')
    view = _View(policy)
    generator = generator_of(rng)
    points = view.vertices() if at == "worst" else None
    rows, broken = np.zeros(len(view.slack)), np.zeros(1 if points is None else len(points))
    impossible = np.zeros_like(broken)
    block = max(1, _BLOCK // max(1, len(view.slack)))
    for start in range(0, samples, block):
        count = min(block, samples - start)
        xi = policy.unit.scale * policy.unit.law.sample(generator, (count, len(policy.names)))
        noise = xi @ view.spread.T
        if points is None:
            u = generator.uniform(-view.half, view.half, (count, len(view.half)))
            over = noise + u @ view.gain.T - view.slack > TOLERANCE
            rows += over.sum(axis=0)
            bad = over.any(axis=1)
            broken[0] += int(bad.sum())
            impossible[0] += view.impossible(u[bad], xi[bad])
            continue
        rows += (noise - view.tight > TOLERANCE).sum(axis=0)
        for i, u in enumerate(points):
            bad = (noise + view.gain @ u - view.slack > TOLERANCE).any(axis=1)
            broken[i] += int(bad.sum())
            impossible[i] += view.impossible(np.tile(u, (int(bad.sum()), 1)), xi[bad])
    return Verification(
        Estimate.of(int(broken.max()), samples),
        Estimate.of(int(impossible.max()), samples),
        Estimate.of(rows, samples),
        policy.program.rows.names,
        TOLERANCE,
    )


class _View:
    """Rows of a policy relative to their sizes: slack at the middle, A K and A Z."""

    def __init__(self, policy: Policy) -> None:
        program, rows = policy.program, policy.program.rows
        self._policy = policy
        lower, upper = policy.domain
        self._middle, self.half = 0.5 * (lower + upper), 0.5 * (upper - lower)
        target = np.asarray(program.equalities.matrix @ policy.offset)
        scaling = Scaling.of(program, target)
        scaling = scaling.refined(program, target, policy.offset) or scaling
        self._scaling = scaling
        deviation = policy.unit.deviation * policy.recourse.sizes
        moved = deviation + np.abs(policy.gain) @ self.half
        size = row_sizes(rows.matrix, rows.bound, policy.offset, moved, scaling)
        self.slack: Vector = (rows.bound - np.asarray(rows.matrix @ policy.offset)) / size
        self.gain: Dense = np.asarray(rows.matrix @ policy.gain) / size[:, None]
        self.spread: Dense = policy.recourse.under(rows.matrix) / size[:, None]
        self.tight: Vector = self.slack - np.abs(self.gain) @ self.half
        self._completion: Completion | None = None

    def vertices(self) -> Dense:
        """Vertices of the domain that are worst for the tightest rows."""
        deviation = self._policy.unit.deviation * np.linalg.norm(self.spread, axis=1)
        order = np.argsort(self.tight / np.maximum(deviation, 1e-9), kind="stable")
        found = np.where(self.gain[order[: 10 * _VERTICES]] >= 0, 1.0, -1.0) * self.half
        return np.unique(found, axis=0)[:_VERTICES] if len(found) else np.zeros((1, len(self.half)))

    def impossible(self, u: Dense, xi: Dense) -> int:
        """How many releases no feasible solution has."""
        if not len(u):
            return 0
        policy = self._policy
        program = policy.program
        if self._completion is None:
            private = program.private
            others = np.setdiff1d(np.arange(len(program.equalities)), private)
            target = np.asarray(program.equalities.matrix @ policy.offset)
            both = sp.csr_array(sp.vstack([policy.S, program.G[private]]))
            self._completion = Completion(program, both, target, keep=others, scaling=self._scaling)
        data = (
            np.asarray(program.G[program.private] @ policy.offset)
            + u @ np.asarray(program.G[program.private] @ policy.gain).T
        )
        base = np.asarray(policy.S @ policy.offset) + u @ np.asarray(policy.S @ policy.gain).T
        released = base + xi @ np.asarray(policy.recourse.under(policy.S)).T
        asked = np.hstack([released, data])
        return int(self._completion.impossible(asked, TOLERANCE).sum())
