"""Arrays at the edge: dense, scipy sparse and pandas input, checked and brought to one form.

A matrix becomes a float64 `csr_array`, a vector a read-only float64 array. Pandas input is aligned
by label, so rows and columns may come in any order. Nothing here knows what the numbers mean.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from decimal import Decimal
from numbers import Number
from typing import Any, TypeAlias, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.errors import Action, Clause, InputError
from privopt.foreign import some
from privopt.shapes import flattened, nested

Vector: TypeAlias = NDArray[np.float64]
Dense: TypeAlias = NDArray[np.float64]
Sparse: TypeAlias = "sp.csr_array[np.float64, tuple[int, int]]"


def is_frame(value: object) -> bool:
    """Whether the value is a pandas DataFrame (asked without importing pandas)."""
    return hasattr(value, "columns") and hasattr(value, "to_numpy")


def is_series(value: object) -> bool:
    """Whether the value is a pandas Series (asked without importing pandas)."""
    return hasattr(value, "index") and hasattr(value, "to_numpy") and not hasattr(value, "columns")


def labels_of(axis: object) -> tuple[str, ...]:
    """Labels of a pandas axis, as strings."""
    return tuple(str(label) for label in axis)  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType, reportUnknownArgumentType]


def is_flat(value: Any) -> bool:  # noqa: ANN401 -- the edge
    """Whether the value is a number or a list of numbers, not a matrix."""
    if sp.issparse(value):
        return False
    try:
        return np.ndim(value) < 2
    except ValueError:  # ragged lists
        return False


def numbers(value: Any, *, beyond: bool = False) -> NDArray[np.float64] | None:  # noqa: ANN401
    """Real numbers as float64, each rounded once and correctly; None for anything else.

    No exception leaves: numpy's own quote the value they could not read. With `beyond`, a number
    that no float holds becomes the largest float of its sign (infinity is no number, and stays).
    """
    try:
        array = np.asarray(value)
        if value is None or array.dtype.kind not in "biufO" or np.ma.isMaskedArray(value):
            return None
        if beyond and array.dtype in (np.dtype(object), np.dtype(np.longdouble)):
            return np.array([held(one) for one in array.ravel()], float).reshape(array.shape)
        return np.array(array, dtype=float)
    except (TypeError, ValueError, ArithmeticError):
        return None


def held(number: Any) -> float:  # noqa: ANN401 -- whatever has a float
    """The float nearest to a number, the largest one of its sign where no float holds it.

    Clamped to ends that are floats it is what the number itself would be: this is monotone too.
    """
    try:
        with np.errstate(over="ignore"):
            nearest = float(number)
    except OverflowError:
        nearest = math.inf if number > 0 else -math.inf
    if math.isinf(nearest):
        exact = Decimal(number) if isinstance(number, str) else number  # "inf" is, "1e400" is not
        return nearest if exact == nearest else math.copysign(sys.float_info.max, nearest)
    return nearest


def matrix(
    value: Any,  # noqa: ANN401 -- the edge: dense, sparse or pandas
    what: str,
    *,
    columns: Sequence[str] | None = None,
    rows: Sequence[str] | None = None,
) -> Sparse:
    """Bring a 2-d input to sparse form; a DataFrame is reordered to the given labels."""
    if is_frame(value):
        value = _aligned(value, what, "columns", columns)
        value = _aligned(value, what, "index", rows).to_numpy()
    result: Any = _sparse(value) if sp.issparse(value) else _dense(value)
    if result is None:
        raise InputError(
            f"{what} could not be read as a matrix of numbers (got {type(value).__name__}).",
            "a 2-d array, a scipy sparse matrix or a DataFrame of numbers.",
            f"convert {what} to one of these.",
        )
    check_finite(result.data, what)
    result.sum_duplicates()
    result.eliminate_zeros()
    return result


def _sparse(value: Any) -> Any:  # noqa: ANN401 -- any scipy sparse class
    readable = value.dtype.kind in "biuf" and value.ndim == 2
    return sp.csr_array(value, dtype=float, copy=True) if readable else None


def _dense(value: Any) -> Any:  # noqa: ANN401 -- the edge
    array = numbers(value)
    if array is None or array.ndim > 2:
        return None
    array = np.atleast_2d(array)
    row, column = np.nonzero(array)
    ends = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(array)))])
    parts: Any = (array[row, column], column, ends)
    return sp.csr_array(parts, shape=array.shape)


def vector(
    value: Any,  # noqa: ANN401 -- the edge: list, array or pandas
    size: int,
    what: str,
    *,
    labels: Sequence[str] | None = None,
    infinite: bool = False,
    private: bool = False,
    beyond: bool = False,
) -> Vector:
    """Bring a 1-d input (or one number for all) to a read-only float array of the given size.

    Of a private one, an error tells the shape and the type, and neither labels nor what it holds.
    `beyond`: see `numbers`.
    """
    if is_series(value):
        value = _aligned(value, what, "index", labels, private=private).to_numpy()
    array = numbers(value, beyond=beyond)
    if array is None:
        raise InputError(
            f"{what} could not be read as a vector of numbers (got {type(value).__name__}).",
            f"{size} numbers.",
            f"convert {what} to a list or array of numbers.",
        )
    if array.ndim == 0:
        array = np.full(size, float(array))
    if array.shape != (size,):
        raise InputError(
            f"{what} has shape {array.shape}.",
            f"shape ({size},).",
            f"flatten {what} in the order of the variables."
            if array.ndim > 1 and array.size == size
            else f"check that {what} matches the other arguments.",
        )
    check_finite(array, what, infinite=infinite, private=private)
    array.setflags(write=False)
    return array


def curated(value: Any, size: int, what: str, labels: Sequence[str] | None = None) -> Vector:  # noqa: ANN401
    """The curator's data as floats: a number that no float holds is refused by no one here.

    Whether it is refused would tell neighbours apart. It becomes the largest float (`held`), and
    then the end of the public domain that it is clamped to. What is no number is refused. Arrays
    of the shapes that the labels speak of are flattened (`shapes`).
    """
    flat = flattened(_one_column(value), labels, what)
    return vector(flat, size, what, labels=labels, private=True, beyond=True)


def check_length(
    value: Any,  # noqa: ANN401 -- the edge: list, array or pandas
    size: int,
    what: str,
    *,
    labels: Sequence[str] | None = None,
) -> None:
    """Refuse what cannot be a vector of the given size and labels, looking at no value of it."""
    value = _one_column(value)
    if is_series(value):
        _aligned(value, what, "index", labels, private=True)
        return
    value = flattened(value, labels, what)
    length = _length(value)
    if length is not None and nested(value):
        raise InputError(
            f"{what} is a table.",
            f"a list, an array or a Series of {size} numbers.",
            f"flatten {what} in the order of program.data_names.",
        )
    if length is None:
        raise InputError(
            f"{what} is a {type(value).__name__}.",
            f"a list, an array or a Series of {size} numbers.",
            f"convert {what} to one of these, in the order of program.data_names; of a cvxpy "
            "problem or a graph, program.data(...) does.",
        )
    if length != size:
        raise InputError(
            f"{what} has length {length}.",
            f"length {size}.",
            f"check that {what} matches the program.",
        )


def _one_column(value: Any) -> Any:  # noqa: ANN401 -- the edge
    """A frame of one column as a Series; everything else as it is."""
    return value.iloc[:, 0] if is_frame(value) and value.shape[1] == 1 else value


def _length(value: Any) -> int | None:  # noqa: ANN401 -- the edge
    """How many numbers a value holds, by its type and length alone; None if it is no vector."""
    if isinstance(value, (str, bytes)) or is_frame(value):
        return None
    if isinstance(value, Number) or getattr(value, "shape", None) == ():
        return 1
    listed = isinstance(value, Sequence) or hasattr(value, "__array__")
    return len(cast("Any", value)) if listed else None


def check_finite(
    array: Vector, what: str, *, infinite: bool = False, private: bool = False
) -> None:
    """Refuse NaN, and infinity unless it is allowed. The message names no position or value."""
    bad = np.isnan(array).any() if infinite else not np.isfinite(array).all()
    if bad:
        kind = "NaN" if infinite or np.isnan(array).any() else "infinity"
        if private:
            where = [str(i) for i in np.flatnonzero(~np.isfinite(array))]
            raise InputError(
                f"{what} contains NaN or infinity.",
                "finite numbers only.",
                (f"clean {what} first", Clause(Action.REVEAL, "tells the curator where they are.")),
                private=f"not finite: {_some('positions', where)}",
            )
        raise InputError(
            f"{what} contains {kind}.",
            "finite numbers only.",
            f"clean {what} first; a limit that does not exist is left out, not set to infinity."
            if kind == "infinity"
            else f"clean {what} first.",
        )


def _aligned(
    value: Any,  # noqa: ANN401 -- pandas
    what: str,
    axis: str,
    labels: Sequence[str] | None,
    *,
    private: bool = False,
) -> Any:  # noqa: ANN401
    """Reorder a pandas object to the labels; a label missing or unknown is an error."""
    if labels is None:
        return value
    own = labels_of(getattr(value, axis))
    if set(own) != set(labels) or len(own) != len(labels):
        missing = [label for label in labels if label not in own]
        unknown = [label for label in own if label not in labels]
        repeated = sorted({label for label in own if own.count(label) > 1})
        found = (
            f"{_some('missing', missing)}, {_some('unknown', unknown)}, "
            f"{_some('repeated', repeated)}"
        )
        again = f"reindex {what}, or pass plain arrays"
        tells = Clause(Action.REVEAL, "tells the curator which differ.")
        raise InputError(
            f"the {axis} of {what} does not match{'' if private else f': {found}'}.",
            f"the labels {some(labels, count=True)}, in any order.",
            (again, tells) if private else f"{again}.",
            private=found if private else None,
        )
    place = {label: k for k, label in enumerate(own)}
    order = [place[label] for label in labels]
    return value.iloc[:, order] if axis == "columns" else value.iloc[order]


def _some(how: str, labels: Sequence[str]) -> str:
    more = f" ... ({len(labels)} in all)" if len(labels) > 3 else ""
    return f"{how} {', '.join(labels[:3]) or 'none'}{more}"
