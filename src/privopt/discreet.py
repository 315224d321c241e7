"""Failures on the private side tell nothing of the data.

An exception of numpy, scipy or a solver may quote a number that came from d, or say how far a
factorisation got. A `discreet` function lets our own errors through, whose texts are public, and
turns any other exception into one of ours; the traceback is the curator's (`error.private`).
Nor does it warn: whether numpy overflows or divides by zero depends on d.
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numpy as np

from privopt.errors import Action, Clause, PrivoptError, SolverError

__all__ = ["discreet"]

P = ParamSpec("P")
T = TypeVar("T")


def discreet(function: Callable[P, T]) -> Callable[P, T]:
    """A function that reads private data, and whose exceptions do not tell it."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            with np.errstate(all="ignore"):
                return function(*args, **kwargs)
        except (PrivoptError, Warning):  # a warning made an error is a developer's
            raise
        except Exception as error:  # whatever it is, its text is not for everyone
            told = "".join(traceback.format_exception(error))
        # Raised out here: raised in the handler, it would carry the other exception along.
        raise SolverError(
            "the computation failed on these arguments or data.",
            "a computation that ends.",
            (
                "check the arguments and the scale of the data; if they are right, report it "
                "without the data",
                Clause(Action.REVEAL, "shows the traceback to the curator."),
            ),
            private=told,
        )

    return call
