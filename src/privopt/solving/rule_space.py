"""Gain and recourse of an affine rule in bases, so that they meet in a small matrix T alone.

    K_j = K_0j + Q T W_j + B N_j,    Y = Q T + B M        (G [Q B] = 0,  S B = 0,  S K_0 = 0)

B spans what the released values do not see, Q the rest of what the equalities leave free: S K =
S Q T W = S Y W whatever T, N and M are. Q is orthogonal to B in the cost, so that the cost of N, of
M and of T are quadratic forms of their own; only T has a slope, where the fidelity (or the cost)
wants the released values to follow the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la

from privopt.arrays import Dense
from privopt.solving.gain_space import ColumnSpace, free_basis, least_cost
from privopt.solving.scaled import Gain, ScaledProgram

__all__ = ["RuleSpace"]

_RANK = 1e-9  # relative size below which a released value does not move
_SILENT = 1e-8  # of the largest entry of S K: what a gain that is at rest may leave


@dataclass(frozen=True, repr=False, eq=False)
class RuleSpace:
    """The bases of one program.

    Attributes
    ----------
    gain, noise
        K_0 + B N and B M.
    lead
        Q, a column for each direction in which released values can move.
    curve, pull
        The cost 1/2 t'curve t + pull't of T, row after row.
    """

    gain: ColumnSpace
    noise: ColumnSpace
    lead: Dense
    curve: Dense
    pull: Dense

    @classmethod
    def of(cls, data: ScaledProgram, gain: Gain, W: Dense) -> RuleSpace | None:
        """The bases; None where released values cannot move, or not be left at rest."""
        basis, curve = free_basis(data.G, data.quadratic)
        credit = gain.credit / gain.weights
        full = least_cost(ColumnSpace(gain.start, basis, curve), data.quadratic, credit)
        seen = np.asarray(gain.query @ basis)
        whole, triangle, _ = la.qr(seen.T, pivoting=True)
        size = np.abs(np.diag(triangle))
        m = int((size > _RANK * size.max(initial=0.0)).sum())
        if not m:
            return None
        rest, ahead = whole[:, m:], whole[:, :m]
        inner = rest.T @ curve @ rest
        ahead = ahead - rest @ np.linalg.lstsq(inner, rest.T @ curve @ ahead)[0]
        lead, H = basis @ ahead, ahead.T @ curve @ ahead
        moved = np.asarray(gain.query @ full.start)
        back = np.linalg.lstsq(seen @ ahead, moved)[0]
        start = full.start - lead @ back
        left = np.abs(np.asarray(gain.query @ start)).max(initial=0.0)
        if left > _SILENT * max(1.0, float(np.abs(full.start).max(initial=0.0))):
            return None
        weight = 2 * (1 - data.phi) * gain.weights
        of_sums = (W * weight) @ W.T + data.spread * np.eye(len(W))
        own = np.ascontiguousarray(basis @ rest)
        zero = np.zeros((len(basis), len(W)))
        return cls(
            gain=ColumnSpace(start, own, inner),
            noise=ColumnSpace(zero, own, inner),
            lead=lead,
            curve=np.asarray(np.kron(H, of_sums), dtype=np.float64),
            pull=-((H @ back) * weight) @ W.T,
        )

    def answer(self, gain: Gain, Y: Dense) -> Dense:
        """T of a recourse."""
        return np.linalg.lstsq(np.asarray(gain.query @ self.lead), np.asarray(gain.query @ Y))[0]
