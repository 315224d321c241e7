"""Verification of a policy by simulation, over the whole domain and not only where it is easy.

Each row is looked at where the domain is worst for it: A_i z exceeds b_i at some u with at most the
probability that A_i z0 + |A_i K| w + A_i Z xi does. All rows together are looked at on the vertices
of the domain that are worst for the tightest rows, or at random points. Completion is asked at the
same points: given the release and the data, does no feasible solution exist?
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.errors import InputError
from privopt.mechanisms.completion import Completion
from privopt.mechanisms.verify import Batch, Verdicts, Verification, check_samples, simulate
from privopt.randomness import generator_of
from privopt.solving.scaling import TOLERANCE, Scaling, row_sizes

if TYPE_CHECKING:
    from privopt.mechanisms.policy import Policy

__all__ = ["verify_policy"]

_VERTICES = 20


def verify_policy(
    policy: Policy, samples: int, rng: int | np.random.Generator | None, at: str
) -> Verification:
    """Simulate z(u, xi) at the worst vertices or at random points of the domain."""
    check_samples(samples)
    if at not in ("worst", "random"):
        raise InputError(f"at is {at!r}.", '"worst" or "random".', 'leave it at "worst".')
    return simulate(_PolicySimulation(policy, generator_of(rng), worst=at == "worst"), samples)


class _PolicySimulation:
    """Draws of z(u, xi), rows relative to their sizes: slack at the middle, A K and A Z."""

    def __init__(self, policy: Policy, rng: np.random.Generator, *, worst: bool) -> None:
        program, rows = policy.program, policy.program.rows
        self._policy, self._rng = policy, rng
        lower, upper = policy.domain
        self._half = 0.5 * (upper - lower)
        target = np.asarray(program.equalities.matrix @ policy.offset)
        scaling = Scaling.of(program, target)
        self._scaling = scaling.refined(program, target, policy.offset) or scaling
        deviation = policy.unit.deviation * policy.recourse.sizes
        moved = deviation + np.abs(policy.gain) @ self._half
        size = row_sizes(rows.matrix, rows.bound, policy.offset, moved, self._scaling)
        self._slack: Vector = (rows.bound - np.asarray(rows.matrix @ policy.offset)) / size
        self._gain: Dense = np.asarray(rows.matrix @ policy.gain) / size[:, None]
        self._spread: Dense = policy.recourse.under(rows.matrix) / size[:, None]
        self._tight: Vector = self._slack - np.abs(self._gain) @ self._half
        self._points = self._vertices() if worst else None
        self.names, self.width = rows.names, len(rows)

    def batch(self, count: int) -> Batch:
        """The next draws: each row at its own worst d, or all rows at a d of each draw."""
        policy = self._policy
        xi = policy.unit.scale * policy.unit.law.sample(self._rng, (count, len(policy.names)))
        noise = xi @ self._spread.T
        if self._points is not None:
            return Batch(noise - self._tight > TOLERANCE, self._at_vertices(xi, noise))
        u = self._rng.uniform(-self._half, self._half, (count, len(self._half)))
        over = noise + u @ self._gain.T - self._slack > TOLERANCE
        bad = np.asarray(over.any(axis=1))
        return Batch(over, [(bad, self._asked(u[bad], xi[bad]))])

    def _at_vertices(self, xi: Dense, noise: Dense) -> Iterator[tuple[Verdicts, Dense]]:
        for u in () if self._points is None else self._points:
            bad = np.asarray((noise + self._gain @ u - self._slack > TOLERANCE).any(axis=1))
            yield bad, self._asked(np.tile(u, (int(bad.sum()), 1)), xi[bad])

    def _vertices(self) -> Dense:
        """Vertices of the domain that are worst for the tightest rows."""
        deviation = self._policy.unit.deviation * np.linalg.norm(self._spread, axis=1)
        order = np.argsort(self._tight / np.maximum(deviation, 1e-9), kind="stable")
        found = np.where(self._gain[order[: 10 * _VERTICES]] >= 0, 1.0, -1.0) * self._half
        return (
            np.unique(found, axis=0)[:_VERTICES] if len(found) else np.zeros((1, len(self._half)))
        )

    @property
    def completion(self) -> Completion:
        """The test of released values and the private data they were made for, in one vector."""
        return self._completion

    @cached_property
    def _completion(self) -> Completion:
        program = self._policy.program
        others = np.setdiff1d(np.arange(len(program.equalities)), program.private)
        target = np.asarray(program.equalities.matrix @ self._policy.offset)
        return Completion(program, self._both, target, keep=others, scaling=self._scaling)

    @cached_property
    def _both(self) -> Sparse:
        """S, and the equalities whose right-hand side is private."""
        program = self._policy.program
        return sp.csr_array(sp.vstack([self._policy.S, program.G[program.private]]))

    def _asked(self, u: Dense, xi: Dense) -> Dense:
        """What is released at some d and noise, and the private data there."""
        policy = self._policy
        where = np.asarray(self._both @ policy.offset) + u @ np.asarray(self._both @ policy.gain).T
        p = policy.S.shape[0]
        where[:, :p] += xi @ np.asarray(policy.recourse.under(policy.S)).T
        return where
