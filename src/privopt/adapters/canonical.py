"""The canonical form of a cvxpy problem, made by cvxpy itself.

    minimise  c'x + x'C x + constant
    subject to  equalities E x = g,  inequalities A x <= b,  offset - M x in cones

x are the columns of the canonical form: variables as cvxpy lowers them (half of a symmetric one,
say), and auxiliary ones for absolute values, maxima and the like. Each row knows the constraint it
came from: cvxpy keeps the number of a constraint throughout.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Sparse, Vector
from privopt.extra import library
from privopt.solving.problem import Cone

__all__ = ["Beyond", "Block", "Canonical", "canonical", "columns_of", "leaf_names", "leaves_of"]

_DUST = 1e-15  # of the largest entry of its row: four units in the last place


class Beyond(Enum):
    """Why a canonical form cannot be used; the value completes a sentence about its problem."""

    INTEGER = "has integers"
    SEMIDEFINITE = "needs a cone of matrices"
    POWERS = "needs a power cone of more than three entries"
    NUMBERS = "has NaN, or an infinite number that is no limit"
    FAILED = "cannot be compiled by cvxpy"


@dataclass(frozen=True, eq=False, repr=False)
class Block:
    """Rows with right-hand sides; for each, the number of its constraint and its place in it."""

    matrix: Sparse
    bound: Vector
    owner: NDArray[np.int64]
    place: tuple[str, ...]

    def of(self, constraint: int) -> NDArray[np.intp]:
        """Positions of the rows of a constraint."""
        return np.flatnonzero(self.owner == constraint)


@dataclass(frozen=True, eq=False, repr=False)
class Canonical:
    """Cost, rows and cones; `beyond` says what the problem has besides, None if it has nothing.

    Cones are second-order ones of any size, exponential and power ones; `curved` has their rows.
    """

    linear: Vector
    quadratic: Sparse
    constant: float
    equalities: Block
    inequalities: Block
    cones: tuple[Cone, ...]
    curved: Block
    beyond: Beyond | None


def _places(shape: tuple[int, ...]) -> list[str]:
    """Places in an array of that shape as `[i,j]`, in cvxpy's order (the first index fastest)."""
    places: Iterable[tuple[int, ...]] = (index[::-1] for index in np.ndindex(shape[::-1]))
    return [f"[{','.join(str(i) for i in place)}]" if place else "" for place in places]


def canonical(problem: Any) -> Canonical:  # noqa: ANN401 -- cvxpy
    """Let cvxpy compile a problem for a solver of cone programs, and read what it made.

    Whatever cvxpy raises is let through.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it compiles again when parameters change
        data, _, inverse = problem.get_problem_data(library("cvxpy").CLARABEL)
    n, zero = len(data["c"]), int(data["dims"].zero)
    linear = zero + int(data["dims"].nonneg)
    A = _without_dust(sp.csr_array(data["A"]))
    b = np.asarray(data["b"], dtype=float)
    owner: list[int] = []
    place: list[str] = []
    for constraint in data["param_prob"].constraints:
        shape = tuple(constraint.args[0].shape)
        size, places = int(np.prod(shape, dtype=int)), _places(shape)
        if len(owner) >= linear:  # cones: what belongs to one is in `cones`
            size, places = int(constraint.size), [""] * int(constraint.size)
        owner += [int(constraint.id)] * size
        place += places
    dims, P = data["dims"], data.get("P")
    cones = (
        *(Cone.second_order(int(size)) for size in dims.soc),
        *(Cone.exponential() for _ in range(int(dims.exp))),
        *(Cone.of_power(float(power)) for power in dims.p3d),
    )

    def block(rows: slice) -> Block:
        numbers = np.array(owner[rows], dtype=np.int64)
        return Block(sp.csr_array(A[rows]), b[rows], numbers, tuple(place[rows]))

    linear_cost = np.asarray(data["c"], dtype=float)
    quadratic: Sparse = sp.csr_array((n, n)) if P is None else sp.csr_array(0.5 * P)
    beyond = None
    if data["param_prob"].is_mixed_integer():
        beyond = Beyond.INTEGER
    elif A.shape[0] > linear + sum(cone.size for cone in cones):
        beyond = Beyond.SEMIDEFINITE if dims.psd else Beyond.POWERS
    elif not _usable(b, zero, linear, A.data, linear_cost, quadratic.data):
        beyond = Beyond.NUMBERS
    return Canonical(
        linear=linear_cost,
        quadratic=quadratic,
        constant=float(inverse[-1]["offset"]),
        equalities=block(slice(0, zero)),
        inequalities=block(slice(zero, linear)),
        cones=cones,
        curved=block(slice(linear, A.shape[0])),
        beyond=beyond,
    )


def _usable(b: Vector, zero: int, linear: int, *others: Vector) -> bool:
    """Whether all numbers are finite, but for limits of inequalities that are no limit."""
    limits = b[zero:linear]
    free = bool((np.isfinite(limits) | np.isposinf(limits)).all())
    ends = (b[:zero], b[linear:])
    return free and all(bool(np.isfinite(part).all()) for part in (*ends, *others))


def _without_dust(A: Sparse) -> Sparse:
    """The rows without what rounding leaves of terms that cancel, such as x + y - y.

    An entry of 1e-17 beside ones would be taken for a variable in units of 1e17 (`equilibration`).
    """
    sizes = np.abs(A.data)
    row = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    largest = np.zeros(A.shape[0])
    np.fmax.at(largest, row, sizes)
    A.data[sizes < _DUST * largest[row]] = 0.0
    A.eliminate_zeros()
    return A


def leaf_names(leaves: Iterable[Any]) -> list[str]:
    """`x[3]`, `y[1,2]` or `t`: a name for each entry of some variables or parameters."""
    return [leaf.name() + place for leaf in leaves for place in _places(tuple(leaf.shape))]


def leaves_of(form: Canonical, anchors: Iterable[int]) -> list[Sparse]:
    """For variables v with a constraint v = 0 (its anchor): the rows that make v of x."""
    return [form.equalities.matrix[form.equalities.of(anchor)] for anchor in anchors]


def columns_of(leaves: list[Sparse], names: list[str]) -> dict[int, str]:
    """Columns that are an entry of a variable, with its name, in the order of the variables."""
    rows: Any = sp.csr_array(sp.vstack(leaves))
    found: dict[int, str] = {}
    for i, name in enumerate(names):
        start, end = rows.indptr[i], rows.indptr[i + 1]
        if end - start == 1:
            found.setdefault(int(rows.indices[start]), name)
    return found
