"""Terms of a cost beyond linear and quadratic ones: convex functions of x = C z + e.

    PiecewiseLinear    max_i (slopes_i'z + offsets_i)      how markets bid; penalties
    Norm               ||x||
    Power              sum |x_i|^p,   p > 1
    Exponential        sum exp(x_i)
    Logarithm          - sum log(x_i)
    Entropy            sum x_i log(x_i)

Each, times a weight, is the height t of an epigraph (`lifting`): `ConvexProgram(costs=[...])` has
one further variable for each of them, at the end of z. Any other convex cost comes in by
`from_cvxpy`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np
import scipy.sparse as sp

from privopt import arrays
from privopt.arrays import Sparse, Vector
from privopt.errors import InputError
from privopt.labels import positions
from privopt.model.lifting import AffineForm, Lifting, forms, named
from privopt.scalars import real
from privopt.solving.problem import Cone

__all__ = [
    "CostTerm", "Entropy", "Exponential", "Logarithm", "Norm", "PiecewiseLinear", "Power",
    "affine_rows",
]  # fmt: skip


class CostTerm(ABC):
    """A convex function of z that a program adds to its cost."""

    kind: ClassVar[str]

    weight: float
    name: str | None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name or self.kind})"

    def label(self, k: int) -> str:
        """Its own name, or one by its place among the terms."""
        return named(self.name, f"{self.kind}[{k}]")

    @property
    def price(self) -> float:
        """Its weight, checked."""
        needed, remedy = "a positive number.", "a convex cost times a negative number is concave."
        return real(
            self.weight, f"the weight of {self.kind}", needed, remedy, low=0.0, open_low=True
        )

    @abstractmethod
    def add(self, lifting: Lifting, names: tuple[str, ...], label: str) -> None:
        """Add the epigraph of the term to a program whose variables have these names."""


def affine_rows(C: Any, e: Any, names: tuple[str, ...], what: str) -> tuple[Sparse, Vector]:  # noqa: ANN401 -- the edge
    """C and e of C z + e: C a matrix over the variables, or the variables meant, by name."""
    chosen = isinstance(C, (str, int, np.integer)) or (
        isinstance(C, (list, tuple)) and all(isinstance(one, str) for one in C)  # pyright: ignore[reportUnknownVariableType]
    )
    if chosen:
        own = positions(cast("object", C), names, "variables")
        place: Any = (np.ones(len(own)), (range(len(own)), own))
        matrix: Sparse = sp.csr_array(place, shape=(len(own), len(names)))
    else:
        matrix = arrays.matrix(C, f"C of {what}", columns=names)
    if matrix.shape[1] != len(names) or not matrix.shape[0]:
        raise InputError(
            f"C of {what} has shape {matrix.shape}.",
            f"rows, with a column for each of the {len(names)} variables.",
            "pass a matrix, or the names of variables.",
        )
    return matrix, arrays.vector(0.0 if e is None else e, matrix.shape[0], f"e of {what}")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PiecewiseLinear(CostTerm):
    """weight * max_i (slopes_i'z + offsets_i).

    Parameters
    ----------
    slopes
        One row for each piece, with a column for each variable; or, with `of`, one number for each
        piece.
    offsets
        One number for each piece; zero if left out.
    of
        The one variable that the pieces are about, by name or position.

    Examples
    --------
    >>> import privopt as po
    >>> bids = po.PiecewiseLinear(of="gas", slopes=[1.0, 3.0], offsets=[0.0, -4.0])
    >>> program = po.ConvexProgram(costs=[bids], G=[[1]], d=[3], names=["gas"])
    >>> round(program.solve().cost, 6)  # max(3, 9 - 4)
    5.0
    """

    kind: ClassVar[str] = "pieces"

    slopes: Any
    offsets: Any = None
    of: Any = None
    weight: float = 1.0
    name: str | None = None

    def add(self, lifting: Lifting, names: tuple[str, ...], label: str) -> None:
        """T >= slopes_i'z + offsets_i for every piece."""
        slopes = self.slopes
        if self.of is not None:
            own = positions(self.of, names, "variables")
            if len(own) != 1 or not arrays.is_flat(slopes):
                raise InputError(
                    f"`of` of {label} names {len(own)} variables, and slopes are "
                    f"{'one number each' if arrays.is_flat(slopes) else 'a matrix'}.",
                    "one variable, and one slope for each piece.",
                    "leave `of` out and pass a matrix of slopes for several variables.",
                )
            whole = np.zeros((np.size(slopes), len(names)))
            whole[:, own[0]] = arrays.vector(slopes, len(whole), f"slopes of {label}")
            slopes = whole
        matrix, offset = affine_rows(slopes, self.offsets, names, label)
        height = lifting.variable(label, self.price).times(-1.0)
        for i, piece in enumerate(forms(matrix, offset)):
            lifting.row(piece.plus(height), f"{label}.{i}")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Norm(CostTerm):
    """weight * ||C z + e||, the Euclidean norm. C may be the names of variables."""

    kind: ClassVar[str] = "norm"

    C: Any
    e: Any = None
    weight: float = 1.0
    name: str | None = None

    def add(self, lifting: Lifting, names: tuple[str, ...], label: str) -> None:
        """T >= ||C z + e||."""
        parts = forms(*affine_rows(self.C, self.e, names, label))
        lifting.norm(parts, lifting.variable(label, self.price), label)


_Point: TypeAlias = tuple[AffineForm, AffineForm, AffineForm]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _Separable(CostTerm):
    """A sum over the entries of C z + e, each with its own height."""

    C: Any
    e: Any = None
    weight: float = 1.0
    name: str | None = None

    def add(self, lifting: Lifting, names: tuple[str, ...], label: str) -> None:
        """A height for every entry."""
        parts = forms(*affine_rows(self.C, self.e, names, label))
        for i, part in enumerate(parts):
            own = label if len(parts) == 1 else f"{label}.{i}"
            height = lifting.variable(own, self.price)
            lifting.cone(self.cone, *self.point(part, height), own)

    @property
    def cone(self) -> Cone:
        """Of one entry: that of (a, b, c) with b exp(a / b) <= c, unless it says otherwise."""
        return Cone.exponential()

    @abstractmethod
    def point(self, x: AffineForm, height: AffineForm) -> _Point:
        """What lies in the cone where the height is at least the function of x."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Power(_Separable):
    """weight * sum |x_i|^p with p > 1, x = C z + e. C may be the names of variables."""

    kind: ClassVar[str] = "power"

    power: float

    @property
    def cone(self) -> Cone:
        """t^(1/p) >= |x|."""
        needed, remedy = "a number above 1.", "PiecewiseLinear is for |x|, from_cvxpy for the rest."
        p = real(self.power, "power", needed, remedy, low=1.0, open_low=True)
        return Cone.of_power(1 / p)

    def point(self, x: AffineForm, height: AffineForm) -> _Point:
        """(t, 1, x)."""
        return height, AffineForm.number(1.0), x


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Exponential(_Separable):
    """weight * sum exp(x_i), x = C z + e. C may be the names of variables."""

    kind: ClassVar[str] = "exp"

    def point(self, x: AffineForm, height: AffineForm) -> _Point:
        """(x, 1, t): exp(x) <= t."""
        return x, AffineForm.number(1.0), height


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Logarithm(_Separable):
    """- weight * sum log(x_i), x = C z + e > 0. C may be the names of variables."""

    kind: ClassVar[str] = "log"

    def point(self, x: AffineForm, height: AffineForm) -> _Point:
        """(-t, 1, x): exp(-t) <= x."""
        return height.times(-1.0), AffineForm.number(1.0), x


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Entropy(_Separable):
    """weight * sum x_i log(x_i), x = C z + e >= 0. C may be the names of variables."""

    kind: ClassVar[str] = "entropy"

    def point(self, x: AffineForm, height: AffineForm) -> _Point:
        """(-t, x, 1): x exp(-t / x) <= 1."""
        return height.times(-1.0), x, AffineForm.number(1.0)
