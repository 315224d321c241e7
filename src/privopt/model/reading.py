"""Reading what `ConvexProgram` is given: labels, cost, rows and bounds, checked.

z'C2 z is convex where C2 is symmetric and has no negative eigenvalue; eigenvalues down to -1e-9 of
the largest entry count as rounding.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from privopt import arrays
from privopt.arrays import Sparse, Vector
from privopt.errors import InputError
from privopt.labels import check_names

_DENSE = 1500  # variables up to which all eigenvalues are computed
_ROUNDING = 1e-9


def variable_labels(
    names: Iterable[object] | None, frames: tuple[Any, ...], series: tuple[Any, ...]
) -> list[str] | None:
    """The order of the variables: names if given, else the first pandas labels found."""
    if names is not None:
        if isinstance(names, str) or not hasattr(names, "__iter__"):
            raise InputError(
                f"names is {type(names).__name__}.", "a list of names.", "pass ['x', 'y', ...]."
            )
        return [str(name) for name in names]
    for value in frames:
        if arrays.is_frame(value):
            return list(arrays.labels_of(value.columns))
    for value in series:
        if arrays.is_series(value):
            return list(arrays.labels_of(value.index))
    return None


def quadratic_cost(value: Any, n: int, labels: list[str] | None) -> Sparse:  # noqa: ANN401
    """C2 from a vector (its diagonal) or a matrix; zero if there is none."""
    if value is None:
        return sp.csr_array((n, n), dtype=float)
    if arrays.is_series(value) or arrays.is_flat(value):
        diagonal = arrays.vector(value, n, "quadratic", labels=labels)
        own = np.flatnonzero(diagonal)
        ends = np.concatenate([[0], np.cumsum(diagonal != 0)])
        parts: Any = (diagonal[own], own, ends)
        C2: Sparse = sp.csr_array(parts, shape=(n, n))
    else:
        C2 = arrays.matrix(value, "quadratic", columns=labels, rows=labels)
    check_convex(C2, n)
    return C2


def check_convex(C2: Sparse, n: int) -> None:
    """Refuse a quadratic cost of the wrong shape, not symmetric, or indefinite."""
    if C2.shape != (n, n):
        raise InputError(
            f"quadratic has shape {C2.shape}.",
            f"a vector of {n} numbers or a matrix of shape ({n}, {n}).",
            "pass the diagonal, or the full matrix.",
        )
    diagonal = C2.diagonal()
    largest = float(np.abs(C2.data).max(initial=0.0))
    if C2.nnz == np.count_nonzero(diagonal):
        smallest = float(diagonal.min(initial=0.0))
    elif float(np.abs((C2 - C2.T).data).max(initial=0.0)) > _ROUNDING * largest:
        raise InputError(
            "quadratic is not symmetric.",
            "a symmetric matrix.",
            "pass (C2 + C2.T) / 2: it has the same cost.",
        )
    elif n <= _DENSE:
        smallest = float(np.linalg.eigvalsh(C2.toarray())[0])
    else:
        smallest = float(spla.eigsh(C2, k=1, which="SA", return_eigenvectors=False, tol=1e-6)[0])
    if smallest < -_ROUNDING * largest:
        raise InputError(
            f"quadratic is indefinite (smallest eigenvalue {smallest:.3g}).",
            "a positive semidefinite cost: the method is for convex programs.",
            "check the sign of the cost; minimise, not maximise.",
        )


def linear_rows(
    A: Any,  # noqa: ANN401
    b: Any,  # noqa: ANN401
    n: int,
    labels: list[str] | None,
    names: Iterable[object] | None = None,
    left: str = "A",
    right: str = "b",
) -> tuple[Sparse, Vector, tuple[str, ...]]:
    """Matrix, right-hand side and names of rows, given as the arguments `left` and `right`."""
    if (A is None) != (b is None):
        got, other = (left, right) if b is None else (right, left)
        raise InputError(
            f"{got} was given without {other}.",
            f"both {left} and {right}, or neither.",
            "pass the missing one.",
        )
    if A is None:
        return sp.csr_array((0, n), dtype=float), np.zeros(0), ()
    M = arrays.matrix(A, left, columns=labels)
    if M.shape[1] != n:
        raise InputError(
            f"{left} has {M.shape[1]} columns and G has {n}.",
            "one column for each variable in both.",
            "check the order and number of the variables.",
        )
    own = arrays.labels_of(A.index) if arrays.is_frame(A) else None
    bound = arrays.vector(b, M.shape[0], right, labels=own)
    given = names if names is not None else own
    what = "rows" if left == "A" else f"rows of {left}"
    return (
        M,
        bound,
        check_names(given or [f"{left}[{i}]" for i in range(len(bound))], len(bound), what),
    )


def check_bounds(lower: Vector, upper: Vector, names: tuple[str, ...]) -> None:
    """Refuse bounds that leave a variable no value."""
    wrong = np.flatnonzero((lower > upper) | np.isposinf(lower) | np.isneginf(upper))
    if len(wrong):
        raise InputError(
            f"the lower bound of {names[wrong[0]]!r} lies above its upper bound"
            f"{f' (and {len(wrong) - 1} more)' if len(wrong) > 1 else ''}.",
            "lower <= upper for every variable.",
            "check that lower and upper are not swapped.",
        )
