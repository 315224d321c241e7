"""Foreign exceptions on the private side become ours; ours pass, with what they carry."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import privopt as po
from privopt.discreet import discreet
from privopt.errors import InfeasibleError, SolverError


@discreet
def divided(a: float, b: float = 0.0) -> float:
    """a / b."""
    if a < 0:
        raise InfeasibleError("got.", "needed.", "remedy.")
    if a == 0:
        raise RuntimeWarning
    return a / b


def test_an_answer_comes_through() -> None:
    assert divided(6.0, b=2.0) == 3.0


def test_a_foreign_exception_leaves_nothing_but_a_private_traceback() -> None:
    with pytest.raises(SolverError) as caught:
        divided(1.0)
    error = caught.value
    assert "division" not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None
    assert error.private is not None
    assert "ZeroDivisionError: float division by zero" in error.private.reveal()
    assert "test_discreet.py" in error.private.reveal()


def test_our_errors_and_warnings_made_errors_pass() -> None:
    with pytest.raises(InfeasibleError):
        divided(-1.0)
    with pytest.raises(RuntimeWarning):
        divided(0.0)


def test_an_interrupt_passes() -> None:
    @discreet
    def stopped() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()


def test_name_signature_and_words_stay() -> None:
    assert divided.__doc__ == "a / b."
    assert "feasibility" in inspect.signature(po.solve).parameters
    assert po.solve.__doc__


def test_numpy_does_not_warn_of_what_depends_on_the_data() -> None:
    """Warnings are errors in these tests: one would be raised."""

    @discreet
    def overflowing(d: float) -> float:
        return float(np.float64(1e308) * d / np.float64(0.0))

    assert overflowing(1e10) == float("inf")
