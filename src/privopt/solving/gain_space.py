"""Gain and recourse of a design in a basis of what the equalities leave free.

    K_j = K_0j + B N_j,    Z = s Z_0 + B' N_Z          (G B = 0,  [G; S] B' = 0)

about the K_0 and Z_0 of least cost, so that the cost of N is a quadratic form. With a rank, the
gain has the structure "diagonal plus low rank" instead:

    K_j = K_0j + sum_a n_aj (own_aj - K_0j) + V r_j

own_aj are answers to entry j of the private data alone: by one variable, if there is one that can;
at least cost, leaving at rest the rows that are at their limit, what is released, or both. V are
directions that all columns share, found by pricing: those along which the cost of all columns
together would fall fastest (`GainSpaces.share`). A column then has a handful of numbers, whatever
the size of the program; what that loses is measured in docs/certified.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.scaled import Gain, ScaledProgram
from privopt.solving.space import Space

__all__ = ["ColumnSpace", "GainSpaces", "free_basis", "least_cost", "noise_space"]

_RANK = 1e-11  # relative size below which a direction is zero
_FLAT = 1e-6  # relative cost of a direction that has none, where the basis is chosen
_TINY = 1e-10  # and in the program
_APART = 1e-6  # relative distance below which a direction is the same as the others
_TIGHT = 1e-6  # relative slack below which a row is at its limit


@dataclass(frozen=True, repr=False, eq=False)
class ColumnSpace:
    """Columns start + basis N, with the cost N'curve N of the change.

    The basis is one for all columns (n x k), or one for each (columns x n x k).
    """

    start: Dense
    basis: Dense
    curve: Dense

    def space(self, M: Sparse, origin: Dense) -> Space:
        """As the space of changes of `origin`, for rows M."""
        offset = self.start - origin
        if self.basis.ndim == 2:
            values = np.asarray(M @ self.basis)
        else:
            columns, n, k = self.basis.shape
            flat = self.basis.transpose(1, 0, 2).reshape(n, columns * k)
            values = np.asarray(M @ flat).reshape(M.shape[0], columns, k)
            values = np.ascontiguousarray(values.transpose(1, 0, 2))
        return Space(
            K=sp.csr_array((0, self.basis.shape[-1])),
            watched=M,
            rows=values,
            quadratic=self.curve,
            lift=lambda N, level: level * offset + self._change(N),
            offset=offset,
        )

    def _change(self, N: Dense) -> Dense:
        if self.basis.ndim == 2:
            return self.basis @ N
        return np.matmul(self.basis, N.T[:, :, None])[:, :, 0].T


def noise_space(data: ScaledProgram) -> ColumnSpace:
    """Any recourse of level one, about the one of least cost."""
    return least_cost(
        ColumnSpace(data.base, *free_basis(data.C, data.quadratic)), data.quadratic, None
    )


class GainSpaces:
    """The space of the gain of one program, as it grows.

    `near` is an optimum without noise, `limits` are those of the rows.
    """

    def __init__(self, data: ScaledProgram, gain: Gain, near: Vector, limits: Vector) -> None:
        self._data, self._gain, self._near, self._limits = data, gain, near, limits
        self._free = free_basis(gain.C, data.quadratic)
        self._full = least_cost(
            ColumnSpace(gain.start, *self._free), data.quadratic, gain.credit / gain.weights
        )
        self._directions = np.zeros((len(data.linear), 0))
        self.gain = self._full if gain.rank is None else self._own(self._directions)

    @cached_property
    def flat(self) -> bool:
        """Whether some free direction has no cost of its own."""
        return bool(np.linalg.eigvalsh(self._free[1])[:1].sum() < _FLAT)

    @cached_property
    def likely(self) -> Dense:
        """A gain to start from: in each column, the one that moves least of those there are."""
        K = self._full.start
        for gain in self._starts:  # the last moves least
            K = np.where(np.any(gain, axis=0), gain, K)
        return K

    def share(self, K: Dense, row_gradient: Dense, count: int) -> None:
        """Let all columns share some more directions, those that promise most at a solution.

        `row_gradient` is the gradient of the rows, weighted by their multipliers there, in K.
        """
        basis, _ = self._free
        # The gradient of the Lagrangian over all columns, in the metric of the cost.
        slope = np.asarray(self._data.quadratic @ ((K - self._full.start) * self._gain.weights))
        gradient = basis.T @ (2 * slope + row_gradient)
        left, size, _ = np.linalg.svd(gradient, full_matrices=False)
        most = left[:, : min(count, int((size > _RANK * size[:1]).sum()))]
        self._directions = np.column_stack([self._directions, basis @ most])
        self.gain = self._own(self._directions)

    def _own(self, V: Dense) -> ColumnSpace:
        """Each column with a few answers of its own, and directions V that all share."""
        C, full = self._gain.C, self._full
        alone = _alone(C, np.asarray(C @ full.start))
        answers = [alone, *self._starts]
        changes = [np.where(np.any(one, axis=0), one - full.start, 0.0) for one in answers]
        each = np.concatenate(
            [
                *(one.T[:, :, None] for one in changes),
                np.broadcast_to(V, (self._gain.columns, *V.shape)),
            ],
            axis=2,
        )
        # Directions that are next to dependent become orthogonal ones, or none.
        left, size, _ = np.linalg.svd(each, full_matrices=False)
        each = left * (size > _APART * size[:, :1])[:, None, :]
        curve = np.matmul(each.transpose(0, 2, 1), _times(self._data.quadratic, each))
        return ColumnSpace(full.start, each, curve + _tiny(curve))

    @cached_property
    def _starts(self) -> list[Dense]:
        """Gains of least cost that leave more at rest: rows at their limit, what is released."""
        data, query = self._data, self._gain.query
        slack = self._limits - np.asarray(data.A @ self._near)
        tight: Any = data.A[np.flatnonzero(slack < _TIGHT * (1 + np.abs(self._limits)))]
        rests: list[Any] = [tight, query, sp.vstack([query, tight])]
        if not data.noise_dimensions:
            rests = rests[2:]
        return [self._resting(sp.csr_array(rest)) for rest in rests]

    def _resting(self, rest: Sparse) -> Dense:
        """The gain of least cost with `rest` K = 0; zero columns where there is none."""
        data, start = self._data, self._gain.start
        C: Any = sp.csr_array(sp.vstack([data.G, rest]))
        right = np.vstack([np.zeros((len(data.d), start.shape[1])), -np.asarray(rest @ start)])
        change = _solution(C, right)
        there = np.abs(np.asarray(C @ change) - right).max(axis=0, initial=0.0) <= _TIGHT
        around = ColumnSpace(start + change, *free_basis(C, data.quadratic))
        return np.where(there, least_cost(around, data.quadratic, None).start, 0.0)


def free_basis(C: Sparse, quadratic: Any) -> tuple[Dense, Dense]:  # noqa: ANN401 -- any scipy sparse
    """A basis of the null space of C, and the cost in it, near to the identity.

    A cost of these directions that is only what rounding leaves of `quadratic` is none.
    """
    n = C.shape[1]
    whole, triangle, _ = la.qr(C.toarray().T, pivoting=True)
    size = np.abs(np.diag(triangle))
    rank = int((size > _RANK * size.max(initial=0.0)).sum())
    basis = np.asarray(whole[:, rank:], dtype=np.float64)
    if n == rank:
        return basis, np.zeros((0, 0))
    curve = basis.T @ np.asarray(quadratic @ basis)
    eigen = np.linalg.eigvalsh(curve)
    costs = bool(eigen[-1] > _RANK * float(np.abs(sp.coo_array(quadratic).data).max(initial=0.0)))
    if not costs:
        return basis, _tiny(np.zeros((n - rank, n - rank)))
    least = _FLAT * float(np.diag(curve).max())
    flat = 0.0 if eigen[0] > _FLAT * eigen[-1] else max(least, -2.0 * float(eigen[0]))
    root = np.linalg.cholesky(curve + flat * np.eye(n - rank))
    basis = la.solve_triangular(root, basis.T, lower=True).T
    curve = basis.T @ np.asarray(quadratic @ basis)
    return basis, curve + (_tiny(curve) if flat else 0.0)


def _tiny(curve: Dense) -> Dense:
    """A cost for what has none."""
    k = curve.shape[-1]
    largest = np.einsum("...ii->...i", curve).max(axis=-1, initial=_TINY)
    return _TINY * np.asarray(largest)[..., None, None] * np.eye(k)


def least_cost(space: ColumnSpace, quadratic: Any, credit: Dense | None) -> ColumnSpace:  # noqa: ANN401
    """The space about the start of least cost X'C2 X - 2 credit'X."""
    slope = space.basis.T @ np.asarray(quadratic @ space.start)
    if credit is not None:
        slope = slope - space.basis.T @ credit
    N = np.linalg.lstsq(space.curve, slope)[0]
    return ColumnSpace(space.start - space.basis @ N, space.basis, space.curve)


def _alone(C: Sparse, right: Dense) -> Dense:
    """For each column, a solution of C x = right with one entry; zero where there is none."""
    answers = np.zeros((C.shape[1], right.shape[1]))
    columns: Any = C.tocsc()
    single = np.flatnonzero(np.diff(columns.indptr) == 1)
    row, value = columns.indices[columns.indptr[single]], columns.data[columns.indptr[single]]
    place = {int(r): (int(i), float(v)) for r, i, v in zip(row, single, value, strict=True)}
    size = np.abs(right).max(axis=0, initial=0.0)
    for j in range(right.shape[1]):
        at = np.flatnonzero(np.abs(right[:, j]) > _RANK * size[j])
        if len(at) == 1 and int(at[0]) in place:
            i, v = place[int(at[0])]
            answers[i, j] = right[at[0], j] / v
    return answers


def _times(C2: Any, each: Dense) -> Dense:  # noqa: ANN401 -- any scipy sparse
    columns, n, k = each.shape
    flat = each.transpose(1, 0, 2).reshape(n, columns * k)
    return np.asarray(C2 @ flat).reshape(n, columns, k).transpose(1, 0, 2)


def _solution(C: Sparse, right: Dense) -> Dense:
    """The least X with C X = right, as nearly as there is one."""
    return np.asarray(np.linalg.lstsq(C.toarray(), right, rcond=_RANK)[0], dtype=float)
