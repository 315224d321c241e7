"""Many releases of one mechanism at the same data, one a row, and what they claim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from privopt.arrays import Dense, Vector, numbers
from privopt.assess.worst import kernel_of
from privopt.errors import InputError
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.kernel.release import Release

__all__ = ["Releases", "draw"]

_LARGE = 1e60  # squares and ratios of what is released stay finite
_EVERY = 500  # releases between two reports of progress


@dataclass(frozen=True, eq=False)
class Releases:
    """The values of many releases, and the claim of the first of them if it makes one."""

    values: Dense
    names: tuple[str, ...]
    claim: tuple[float, float] | None


def draw(mechanism: Any, d: Any, samples: int, tick: Callable[[int], None]) -> Releases:  # noqa: ANN401
    """Release `samples` times; `tick` is told now and then how many are done.

    A mechanism is an instrument or that of a measurement, or a function of d that returns
    a plan (anything that can `release()`), a `Release`, a vector or a number.
    """
    release, first = _started(mechanism, d)
    row = _values(first)
    values = np.empty((samples, len(row)))
    values[0] = row
    for i in range(1, samples):
        row = _values(release())
        if len(row) != values.shape[1]:
            raise another_length()
        values[i] = row
        if i % _EVERY == 0:
            tick(i)
    tick(samples)
    if not (np.abs(values) < _LARGE).all():
        raise InputError(
            "the mechanism released values that are not finite, or too large to compare.",
            f"finite numbers below {_LARGE:g}.",
            "check the mechanism; a release that says 'nothing' needs a number for it.",
        )
    if isinstance(first, Release):
        return Releases(values, first.names, (first.epsilon, first.delta))
    size = values.shape[1]
    return Releases(values, tuple(f"y[{j}]" for j in range(size)) if size > 1 else ("y",), None)


def _started(mechanism: Any, d: Any) -> tuple[Callable[[], Any], Any]:  # noqa: ANN401
    """What makes a release, and a first one."""
    if isinstance(mechanism, Instrument | Measurement):
        kernel = kernel_of(mechanism)
        if kernel.calibration is None:
            raise InputError(
                "the instrument measures nothing.", "an instrument with sums.", "there is no loss."
            )
        return partial(kernel.release, d), kernel.release(d)
    if not callable(mechanism) or isinstance(mechanism, type):
        raise _no_mechanism(mechanism)
    first: Any = mechanism(d)
    if hasattr(first, "release"):  # a plan, made once
        return first.release, first.release()
    return partial(mechanism, d), first


def another_length() -> InputError:
    """The number of values tells data apart by itself, which no epsilon allows."""
    return InputError(
        "the mechanism does not always release the same number of values.",
        "as many values whatever the data are: their number is seen, too.",
        "pad what is released to one length.",
    )


def _values(released: Any) -> Vector:  # noqa: ANN401
    if isinstance(released, Release):
        return released.values
    if isinstance(released, float):  # the common case of a function, hundreds of thousands of times
        return np.array([released])
    row = numbers(released)
    if row is None or row.ndim > 1 or not row.size:
        raise InputError(
            f"the mechanism returned {type(released).__name__}, which is no vector of numbers.",
            "a plan, a Release, a number or a vector of numbers.",
            "return what is published, and nothing else.",
        )
    return np.atleast_1d(row)


def _no_mechanism(mechanism: Any) -> InputError:  # noqa: ANN401
    is_class = isinstance(mechanism, type)
    got = f"the class {mechanism.__name__}" if is_class else type(mechanism).__name__
    return InputError(
        f"mechanism is {got}.",
        "an Instrument, a Measurement, or a function of d.",
        "for a plan pass lambda d: privopt.solve(program.at(d), query, privacy, feasibility).",
    )
