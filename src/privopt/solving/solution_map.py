"""An exact map from private data to solutions, given by public numbers.

    w = q + Q t + H lambda >= 0,   lambda >= 0,   lambda'w = 0,     t = d clamped to a box - centre
    z = offset + along t + through lambda

(see `distance`, which makes these numbers). H is positive definite, so there is exactly one lambda
for every d, and it depends on d continuously. The numbers are floats, that is fractions; the
rounding that made them happened in public and belongs to the map. From there on nothing is rounded:

- d, of floats, is clamped to the box, as fractions; none is refused.
- The rows that bind are guessed in floating point. From there the search goes on in whole numbers:
  the first row that is wrong is flipped, until none is (Murty 1974: it ends from every start, for
  every matrix whose principal minors are positive).
- z is a vector of fractions. Values S z are rounded once, to a public grid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property

import numpy as np

from privopt.arrays import Dense, Sparse, Vector
from privopt.errors import SolverError
from privopt.solving.distance import LeastDistance, binding_rows
from privopt.solving.integers import Whole, solved, whole_numbers

__all__ = ["GRID", "ExactPoint", "SolutionMap"]

GRID = 52  # H is a multiple of 2^-52
_FINE = 100  # columns of q and Q are multiples of 2^-100 of their largest entries


@dataclass(frozen=True, repr=False, eq=False)
class ExactPoint:
    """A solution: the rows that bind, and z = above / below."""

    rows: tuple[int, ...]
    above: Whole
    below: int

    @property
    def z(self) -> Vector:
        """The nearest floats."""
        return np.array([int(value) / self.below for value in self.above], dtype=float)

    def released(self, S: Sparse, exponent: int) -> Vector:
        """S z on the grid 2^exponent, rounded half up: floats, where the grid is coarse enough."""
        entries, shift = whole_numbers(S.data)
        below = self.below << max(shift + exponent, 0)
        values: list[float] = []
        for start, end in zip(S.indptr[:-1], S.indptr[1:], strict=True):
            above = sum(
                int(s) * int(self.above[j])
                for s, j in zip(entries[start:end], S.indices[start:end].tolist(), strict=True)
            )
            above <<= max(-shift - exponent, 0)
            values.append(math.ldexp((2 * above + below) // (2 * below), exponent))
        return np.array(values, dtype=float)


@dataclass(frozen=True, repr=False, eq=False)
class SolutionMap:
    """The numbers of the map; `lower` and `upper` are the ends of its box.

    H is a matrix of no negative eigenvalues plus rho I, up to rounding.
    """

    H: Dense
    rho: float
    q: Vector
    Q: Dense
    offset: Vector
    along: Dense
    through: Dense
    lower: Vector
    upper: Vector

    @classmethod
    def of(cls, form: LeastDistance, lower: Vector, upper: Vector) -> SolutionMap:
        """The map of a form whose v = -1 and 1 are the ends of the box."""
        half = 0.5 * (upper - lower)
        return cls(
            H=form.H,
            rho=form.rho,
            q=_trimmed(form.q),
            Q=_trimmed(form.Q / half),
            offset=_trimmed(form.offset),
            along=_trimmed(form.along / half),
            through=_trimmed(form.through),
            lower=lower,
            upper=upper,
        )

    def __getstate__(self) -> dict[str, object]:
        """The fields, which a certificate's digest covers, and nothing computed from them."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update({item.name: state[item.name] for item in fields(self)})

    @cached_property
    def numbers(self) -> tuple[Whole, Whole, list[int]]:
        """H 2^52, and [q, Q] 2^shift in whole numbers, with the shift of each column."""
        H, _ = whole_numbers(np.ldexp(self.H, GRID))
        columns = [whole_numbers(column) for column in np.column_stack([self.q, self.Q]).T]
        return H, np.array([one for one, _ in columns]).T, [s for _, s in columns]

    @cached_property
    def least(self) -> Fraction:
        """A positive lower bound of the eigenvalues of H.

        If the Cholesky factors of H - c I exist in floating point, they are those of a matrix that
        differs from it by less than (n + 2) 2^-52 trace(H) (Rump 2006).
        """
        n, shift = len(self.H), 0.75 * self.rho
        try:
            np.linalg.cholesky(self.H - shift * np.eye(n))
        except np.linalg.LinAlgError:
            bound = Fraction(0)
        else:
            bound = Fraction(shift) - Fraction((n + 2) * 2.0**-51 * float(np.trace(self.H)))
        symmetric = bool((self.H == self.H.T).all()) and not (np.ldexp(self.H, GRID) % 1).any()
        if bound <= 0 or not symmetric:
            raise SolverError(
                "the certified map is not a function: its matrix is not positive definite.",
                "a matrix made by assess.certify.",
                "call privopt.assess.certify again, after rescaling the data.",
            )
        return bound

    def at(self, d: Vector) -> ExactPoint:
        """The solution at d, clamped to the box."""
        steps = self._steps(d)
        H, right, shifts = self.numbers
        multiples, scale = _common(steps, shifts)
        r = right @ multiples  # over 2^scale
        guess = binding_rows(self.H, np.array([float(Fraction(int(v), 1 << scale)) for v in r]))
        rows, above, below = _complementary(H, r, guess)
        # lambda = above / below 2^(GRID - scale)
        affine, through = self._point_numbers
        point_multiples, point_scale = _common(steps, affine[1])
        from_data = affine[0] @ point_multiples  # over 2^point_scale
        from_rows = through[0][:, rows] @ above if rows else from_data * 0
        scale = scale + through[1] - GRID
        top = max(scale, point_scale)
        return ExactPoint(
            tuple(rows),
            (from_data * below << (top - point_scale)) + (from_rows << (top - scale)),
            below << top,
        )

    def _steps(self, d: Vector) -> list[Fraction]:
        """1, and d clamped to the box, from its centre."""
        steps = [Fraction(1)]
        for value, low, high in zip(
            d.tolist(), self.lower.tolist(), self.upper.tolist(), strict=True
        ):
            ends = Fraction(low), Fraction(high)
            steps.append(min(max(Fraction(value), ends[0]), ends[1]) - (ends[0] + ends[1]) / 2)
        return steps

    @cached_property
    def _point_numbers(self) -> tuple[tuple[Whole, list[int]], tuple[Whole, int]]:
        columns = [whole_numbers(column) for column in np.column_stack([self.offset, self.along]).T]
        affine = np.array([one for one, _ in columns]).T, [shift for _, shift in columns]
        return affine, whole_numbers(self.through)


def _complementary(H: Whole, r: Whole, guess: list[int]) -> tuple[list[int], Whole, int]:
    """Rows k with lambda_k = -H_kk^-1 r_k >= 0 and r + H lambda >= 0; lambda as a quotient."""
    rows = set(guess)
    while True:
        k = sorted(rows)
        above, below = solved(H[np.ix_(k, k)], -r[k])
        slack = r * below + (H[:, k] @ above if k else 0)
        slack[k] = above
        wrong = [i for i, value in enumerate(slack) if value < 0]
        if not wrong:
            return k, above, below
        rows ^= {wrong[0]}


def _common(steps: list[Fraction], shifts: list[int]) -> tuple[Whole, int]:
    """Whole numbers over one power of two, for steps over 2^shift; every step is dyadic."""
    scales = [
        s.denominator.bit_length() - 1 + shift for s, shift in zip(steps, shifts, strict=True)
    ]
    top = max(scales)
    numerators = np.empty(len(steps), dtype=object)
    numerators[:] = [s.numerator << (top - scale) for s, scale in zip(steps, scales, strict=True)]
    return numerators, top


def _trimmed(values: Dense) -> Dense:
    """Each column on a grid far below its largest entry, so that its whole numbers stay short."""
    largest = np.abs(values).max(axis=0, initial=0.0)
    shift = _FINE - np.frexp(largest)[1]
    return np.ldexp(np.rint(np.ldexp(values, shift)), -shift)
