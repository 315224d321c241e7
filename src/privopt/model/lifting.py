"""Further variables that carry curved costs and limits, with the rows and cones that tie them to z.

    c(z) = c0 + c1'z + z'C2 z + min over t { h't : B (z, t) <= r,  C (z, t) + e in K }

Every convex cost and limit that Clarabel takes has this form: t are the heights of epigraphs, and
the norms within a norm. A norm of more than two entries is a tower of norms of two,

    ||(a, b, c)|| <= s      <=>      ||(a, b)|| <= t,  ||(t, c)|| <= s          for some t,

so that all cones have three rows. The variables t stand at the end of z.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Sparse, Vector
from privopt.errors import InputError
from privopt.solving.cone_rows import ConeRows
from privopt.solving.problem import Cone

__all__ = ["AffineForm", "Lifting", "forms", "named"]


@dataclass(frozen=True, eq=False, repr=False)
class AffineForm:
    """An affine function of the variables: a'z + constant."""

    columns: Sequence[int]
    values: Sequence[float]
    constant: float = 0.0

    @classmethod
    def variable(cls, column: int) -> AffineForm:
        """One variable."""
        return cls((column,), (1.0,))

    @classmethod
    def number(cls, value: float) -> AffineForm:
        """A constant."""
        return cls((), (), value)

    def times(self, factor: float) -> AffineForm:
        """A multiple."""
        return AffineForm(self.columns, [factor * v for v in self.values], factor * self.constant)

    def plus(self, other: AffineForm) -> AffineForm:
        """The sum of two."""
        return AffineForm(
            [*self.columns, *other.columns],
            [*self.values, *other.values],
            self.constant + other.constant,
        )


def named(name: object, otherwise: str) -> str:
    """The name that a term was given, or another."""
    if name is None or isinstance(name, str):
        return name or otherwise
    raise InputError(
        f"the name of a cost or a limit is a {type(name).__name__}.", "a text.", 'pass name="...".'
    )


def forms(matrix: Sparse, offset: Vector) -> list[AffineForm]:
    """The rows of matrix z + offset."""
    ends = matrix.indptr
    return [
        AffineForm(
            matrix.indices[ends[i] : ends[i + 1]].tolist(),
            matrix.data[ends[i] : ends[i + 1]].tolist(),
            float(offset[i]),
        )
        for i in range(matrix.shape[0])
    ]


@dataclass(repr=False)
class Lifting:
    """Collects variables, rows and cones, from the first column after those of z on."""

    n: int
    names: list[str] = field(default_factory=list[str])
    price: list[float] = field(default_factory=list[float])
    _rows: list[tuple[AffineForm, str]] = field(default_factory=list[tuple[AffineForm, str]])
    _points: list[AffineForm] = field(default_factory=list[AffineForm])
    _cones: list[tuple[Cone, str]] = field(default_factory=list[tuple[Cone, str]])

    @property
    def width(self) -> int:
        """How many variables there are by now."""
        return self.n + len(self.names)

    def variable(self, name: str, price: float = 0.0) -> AffineForm:
        """A further variable, free, with a linear price."""
        self.names.append(name)
        self.price.append(price)
        return AffineForm.variable(self.width - 1)

    def row(self, form: AffineForm, name: str) -> None:
        """A row form <= 0."""
        self._rows.append((form, name))

    def cone(
        self, cone: Cone, first: AffineForm, second: AffineForm, third: AffineForm, name: str
    ) -> None:
        """A cone row (first, second, third) in the cone."""
        self._points += [first, second, third]
        self._cones.append((cone, name))

    def norm(self, parts: Iterable[AffineForm], most: AffineForm, name: str) -> None:
        """||parts|| <= most.

        The part that shares most variables with `most` stands at the top of the tower, beside it:
        in the rotated cone ||(2 x, y - t)|| <= y + t the height t is then in one cone row only.
        """
        left, own = list(parts), set(most.columns)
        shared = [len(own & set(part.columns)) for part in left]
        top = [left.pop(int(np.argmax(shared)))] if any(shared) else []
        count = 0
        while len(left) + len(top) > 2:
            joint: list[AffineForm] = []
            for one, other in zip(left[::2], left[1::2], strict=False):
                count += 1
                joint.append(self.variable(f"{name}~{count}"))
                self.cone(Cone.second_order(3), joint[-1], one, other, f"{name}~{count}")
            left = joint + left[len(left) // 2 * 2 :]
        left += top
        if len(left) == 2:
            self.cone(Cone.second_order(3), most, left[0], left[1], name)
            return
        for sign, end in ((1.0, ""), (-1.0, "-")):
            for form in left:
                self.row(form.times(sign).plus(most.times(-1.0)), end + name)

    @property
    def rows(self) -> tuple[Sparse, Vector, list[str]]:
        """Matrix, limits and names of the rows."""
        matrix, offset = _matrix([form for form, _ in self._rows], self.width)
        return matrix, -offset, [name for _, name in self._rows]

    @property
    def cones(self) -> ConeRows:
        """The cone rows."""
        matrix, offset = _matrix(self._points, self.width)
        return ConeRows(
            tuple(cone for cone, _ in self._cones), matrix, offset,
            tuple(name for _, name in self._cones),
        )  # fmt: skip


def _matrix(given: Sequence[AffineForm], width: int) -> tuple[Sparse, Vector]:
    row = np.repeat(np.arange(len(given)), [len(form.columns) for form in given])
    column = np.array([j for form in given for j in form.columns], dtype=np.intp)
    value = np.array([v for form in given for v in form.values], dtype=float)
    place: Any = (value, (row, column))
    matrix: Any = sp.csr_array(place, shape=(len(given), width))
    matrix.eliminate_zeros()
    return matrix, np.array([form.constant for form in given], dtype=float)
