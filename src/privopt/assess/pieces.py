"""One affine piece of a solution map, with bounds on what rounding hides of it.

While the rows k bind (`solving.solution_map`), multipliers of k and slacks of the other rows are

    lambda_k = -H_kk^-1 (q_k + Q_k v),      w_i = q_i + Q_i v + H_ik lambda_k,      |v_j| <= 1

and the piece is where all of them are >= 0. `ExactPieces` encloses them: the law is refined in
whole numbers until what is left over, R = q_k + Q_k v + H_kk lambda_k, is tiny; no eigenvalue of H
is below `least`, so the law is off by at most |R| / least, column by column. `FloatPieces` is the
same without proof, several times faster: it finds the factor that is then proven.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from privopt.arrays import Dense, Sparse, Vector
from privopt.errors import SolverError
from privopt.solving.distance import LeastDistance, MultiplierLaw, binding_rows
from privopt.solving.integers import Whole, whole_numbers
from privopt.solving.solution_map import GRID, SolutionMap

__all__ = ["UNIT", "ExactPieces", "FloatPieces", "Piece", "Pieces"]

UNIT = 2.0**-53  # rounding of one operation
_TINY = 1e-290  # what falls below the smallest floats
_BITS = 40  # of the law, beyond those of q and Q
_ROUNDS = 40


@dataclass(frozen=True, eq=False)
class Piece:
    """The law of some rows.

    Attributes
    ----------
    rows
        The rows k that bind.
    c, g
        Multipliers of k and slacks of the others, one for each row of the program: c + g v.
    doubt
        How far each may be off, anywhere in the box.
    slopes, values
        Norm of the move of the released values for each v_j, and the largest of them in the box;
        rounded up.
    """

    rows: tuple[int, ...]
    c: Vector
    g: Dense
    doubt: Vector
    slopes: Vector
    values: float

    def __post_init__(self) -> None:
        parts = (self.c, self.g, self.doubt, self.slopes, self.values)
        if not all(np.isfinite(part).all() for part in parts):
            raise _no_floats()


class FloatPieces:
    """Pieces in floating point; what rounding hides is guessed."""

    def __init__(self, form: LeastDistance, S: Sparse, order: int) -> None:
        self.form, self._order = form, order
        self._start = np.asarray(S @ form.offset)
        self._fixed, self._through = np.asarray(S @ form.along), np.asarray(S @ form.through)

    @property
    def size(self) -> int:
        """Number of entries of v."""
        return self.form.size

    def binding(self, v: Vector) -> list[int]:
        """Rows that bind at v."""
        return binding_rows(self.form.H, self.form.q + self.form.Q @ v)

    def moved(self, v: Vector) -> Vector:
        """The released values at v, up to a constant."""
        law = self.form.binding(v)
        return self._fixed @ v + self._through[:, list(law.rows)] @ law.at(v)

    def slopes(self, law: MultiplierLaw) -> Dense:
        """How the released values follow v under a law."""
        return law.slopes(self._fixed, self._through)

    def piece(self, rows: frozenset[int]) -> Piece:
        """The piece of some rows."""
        form, law = self.form, self.form.law(tuple(rows))
        k = list(law.rows)
        table = np.column_stack([form.q, form.Q]) + form.H[:, k] @ law.multipliers
        table[k] = law.multipliers
        sizes = np.abs(table).sum(axis=1)
        moves = self.slopes(law)
        values = self._start + self._through[:, k] @ law.multipliers[:, 0]
        return Piece(
            law.rows,
            table[:, 0],
            table[:, 1:],
            1e-14 * sizes,
            np.linalg.norm(moves, ord=self._order, axis=0),
            float((np.abs(values) + np.abs(moves).sum(axis=1)).max(initial=0.0)),
        )


class ExactPieces:
    """Pieces of the map whose numbers are exact, enclosed."""

    def __init__(self, exact: SolutionMap, S: Sparse, order: int) -> None:
        self.map, self._order = exact, order
        # Half-widths of the box are fractions; floats not below them, and not much above.
        half = 0.5 * (exact.upper - exact.lower)
        self.half = half * (1 + 4 * UNIT)
        self._units = np.append(1.0, self.half)
        self._least = exact.least
        self._released = _released(exact, S)

    @property
    def size(self) -> int:
        """Number of entries of v."""
        return int(self.map.Q.shape[1])

    def binding(self, v: Vector) -> list[int]:
        """Rows that bind at v, up to rounding."""
        return binding_rows(self.map.H, self.map.q + self.map.Q @ (self.half * v))

    def piece(self, rows: frozenset[int]) -> Piece:
        """The piece of some rows, enclosed."""
        k = sorted(rows)
        H, right, shifts = self.map.numbers
        law, off = self._law(k)
        slack = right << (GRID + _BITS)
        if k:
            slack = slack + H[:, k] @ law
        scales = [shift + _BITS for shift in shifts]
        table, doubts = _floats(slack, [scale + GRID for scale in scales]), np.zeros(slack.shape)
        table[k] = _floats(law, scales)
        error = np.array(
            [math.ldexp(float(e), -scale) for e, scale in zip(off, scales, strict=True)]
        )
        # A slack is off by |H_ik| <= 2 times the law's error, a row of H being of k entries.
        doubts[:] = 2 * (len(k) + 1) * error
        table, doubts = table * self._units, doubts * self._units
        sizes = np.abs(table).sum(axis=1)
        # Rounding of the entries, and of sums that will be made of them.
        doubt = 2 * doubts.sum(axis=1) + 4 * (self.size + 8) * UNIT * sizes + _TINY
        slopes, values = self._moves(k, law, scales, error)
        return Piece(tuple(k), table[:, 0], table[:, 1:], doubt, slopes, values)

    def _law(self, k: list[int]) -> tuple[Whole, list[int]]:
        """Lambda_k over 2^(shift + _BITS), and how far each column is off, at most."""
        H, right, shifts = self.map.numbers
        if not k:
            return np.zeros((0, len(shifts)), dtype=object), [0] * len(shifts)
        block, target = H[np.ix_(k, k)], -(right[k] << (GRID + _BITS))
        law: Whole = np.zeros(target.shape, dtype=object)
        factor = cho_factor(self.map.H[np.ix_(k, k)], lower=True, check_finite=False)
        good = (2 * len(k)) << GRID
        for _ in range(_ROUNDS):
            left = target - block @ law
            if np.abs(left).max() <= good:
                break
            step = np.asarray(cho_solve(factor, left.astype(float), check_finite=False))
            law = law + _rounded(np.ldexp(step, -GRID))
        else:
            raise SolverError(
                "a piece of the solution map is too ill-conditioned to be enclosed.",
                "rows that rounding can tell apart.",
                "rescale the data, or use design.",
            )
        below = self._least * 2**GRID
        lengths = [math.isqrt(int(sum(v * v for v in column))) + 1 for column in left.T]
        return law, [math.ceil(Fraction(length) / below) for length in lengths]

    def _moves(
        self, k: list[int], law: Whole, scales: list[int], error: Vector
    ) -> tuple[Vector, float]:
        """Norms of the slopes of the released values, and a bound on the values; rounded up."""
        fixed, through, shift = self._released
        if k:
            moved = _floats(through[:, k] @ law, [scale + shift for scale in scales])
            width = np.abs(_floats(through[:, k], [shift] * len(k))).sum(axis=1, keepdims=True)
        else:
            moved, width = np.zeros(fixed.shape), np.zeros((len(fixed), 1))
        doubt = 8 * UNIT * (np.abs(fixed) + np.abs(moved)) + 2 * width * error + _TINY
        found = (np.abs(fixed + moved) + doubt) * self._units
        up = 1 + 4 * (sum(found.shape) + 8) * UNIT
        slopes = up * np.linalg.norm(found[:, 1:], ord=self._order, axis=0)
        return slopes, up * float(found.sum(axis=1).max(initial=0.0))


Pieces: TypeAlias = FloatPieces | ExactPieces  # a map that is looked at piece by piece


def _released(exact: SolutionMap, S: Sparse) -> tuple[Dense, Whole, int]:
    """S offset and S along, rounded; S through in whole numbers over 2^shift."""
    entries, shift = whole_numbers(np.asarray(S.toarray(), dtype=float))
    start = np.column_stack([exact.offset, exact.along])
    columns: list[Any] = []
    for column in start.T:
        numbers, more = whole_numbers(column)
        columns.append(_floats((entries @ numbers)[:, None], [shift + more])[:, 0])
    lift, more = whole_numbers(exact.through)
    return np.array(columns).T.reshape(S.shape[0], -1), entries @ lift, shift + more


def _floats(numbers: Whole, scales: list[int]) -> Dense:
    """The nearest floats of numbers / 2^scale, a scale for each column."""
    try:
        found = numbers.astype(float)
    except OverflowError:
        raise _no_floats() from None
    return np.ldexp(found, -np.array(scales, dtype=np.intc))


def _no_floats() -> SolverError:
    return SolverError(
        "the solution map has numbers that no float can hold.",
        "data whose largest and smallest coefficients do not lie hundreds of digits apart.",
        "rescale the data, or use design.",
    )


def _rounded(values: Dense) -> NDArray[Any]:
    found = np.empty(values.size, dtype=object)
    found[:] = [int(value) for value in np.rint(values).ravel()]
    return found.reshape(values.shape)
