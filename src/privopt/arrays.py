"""Arrays at the edge: dense, scipy sparse and pandas input, checked and brought to one form.

A matrix becomes a float64 `csr_array`, a vector a read-only float64 array. Pandas input is aligned
by label, so rows and columns may come in any order. Nothing here knows what the numbers mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.errors import InputError

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


def numbers(value: Any) -> NDArray[np.float64]:  # noqa: ANN401 -- the edge
    """Real numbers as float64; TypeError or ValueError for anything else."""
    array = np.asarray(value)
    if array.dtype.kind not in "biufO" or np.ma.isMaskedArray(value):
        raise TypeError
    try:
        return np.array(array, dtype=float)
    except OverflowError:
        raise ValueError from None


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
    try:
        result: Any = (
            _to_csr(value) if sp.issparse(value) else sp.csr_array(np.atleast_2d(numbers(value)))
        )
    except (TypeError, ValueError):
        raise InputError(
            f"{what} could not be read as a matrix of numbers (got {type(value).__name__}).",
            "a 2-d array, a scipy sparse matrix or a DataFrame of numbers.",
            f"convert {what} to one of these.",
        ) from None
    check_finite(result.data, what)
    result.sum_duplicates()
    result.eliminate_zeros()
    return result


def _to_csr(value: Any) -> Any:  # noqa: ANN401 -- any scipy sparse class
    if value.dtype.kind not in "biuf":
        raise TypeError
    if value.ndim != 2:
        raise ValueError
    return sp.csr_array(value, dtype=float, copy=True)


def vector(
    value: Any,  # noqa: ANN401 -- the edge: list, array or pandas
    size: int,
    what: str,
    *,
    labels: Sequence[str] | None = None,
    infinite: bool = False,
) -> Vector:
    """Bring a 1-d input (or one number for all) to a read-only float array of the given size."""
    if is_series(value):
        value = _aligned(value, what, "index", labels).to_numpy()
    try:
        array = numbers(value)
    except (TypeError, ValueError):
        raise InputError(
            f"{what} could not be read as a vector of numbers (got {type(value).__name__}).",
            f"{size} numbers.",
            f"convert {what} to a list or array of numbers.",
        ) from None
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
    check_finite(array, what, infinite=infinite)
    array.setflags(write=False)
    return array


def check_finite(array: Vector, what: str, *, infinite: bool = False) -> None:
    """Refuse NaN, and infinity unless it is allowed. The message names no position or value."""
    bad = np.isnan(array).any() if infinite else not np.isfinite(array).all()
    if bad:
        kind = "NaN" if infinite or np.isnan(array).any() else "infinity"
        raise InputError(
            f"{what} contains {kind}.",
            "finite numbers only.",
            f"clean {what} first; a limit that does not exist is left out, not set to infinity."
            if kind == "infinity"
            else f"clean {what} first.",
        )


def _aligned(value: Any, what: str, axis: str, labels: Sequence[str] | None) -> Any:  # noqa: ANN401
    """Reorder a pandas object to the labels; a label missing or unknown is an error."""
    if labels is None:
        return value
    own = labels_of(getattr(value, axis))
    if set(own) != set(labels) or len(own) != len(labels):
        missing = [label for label in labels if label not in own]
        unknown = [label for label in own if label not in labels]
        repeated = sorted({label for label in own if own.count(label) > 1})
        raise InputError(
            f"the {axis} of {what} does not match: {_some('missing', missing)}, "
            f"{_some('unknown', unknown)}, {_some('repeated', repeated)}.",
            "the same labels as the other arguments (in any order).",
            f"reindex {what}, or pass plain arrays.",
        )
    place = {label: k for k, label in enumerate(own)}
    order = [place[label] for label in labels]
    return value.iloc[:, order] if axis == "columns" else value.iloc[order]


def _some(how: str, labels: Sequence[str]) -> str:
    more = f" ... ({len(labels)} in all)" if len(labels) > 3 else ""
    return f"{how} {', '.join(labels[:3]) or 'none'}{more}"
