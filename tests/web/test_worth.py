"""What values tell: nothing where they do not vary beside the others, whatever a solver leaves."""

from __future__ import annotations

import numpy as np

from privopt.claims.worth import Worth
from privopt.web.worth import worth_of

_DUST = 2e-5  # MW, beside 260 MW


def _draws(*spreads: float) -> Worth:
    """Values that vary so much, each with an error of a fifth of that, and dust."""
    spread = np.array(spreads)
    return Worth(tuple(f"p[{k}]" for k in range(len(spread))), 0.2 * spread + _DUST / 10, spread, 1)


def test_what_a_solver_leaves_is_nothing() -> None:
    told = worth_of(_draws(_DUST), None, 260.0)
    assert (told["distance"], told["spread"], told["verdict"]) == (0.0, 0.0, "nothing")
    assert "same over the whole domain" in told["sentence"]
    assert (
        worth_of(_draws(_DUST), None, 1e-4)["verdict"] == "useful"
    )  # beside small values it tells


def test_values_that_tell_nothing_are_named() -> None:
    told = worth_of(_draws(20.0, _DUST, 5.0), None, 260.0)
    assert told["verdict"] == "useful"
    assert told["silent"] == ["p[1]"]
    assert worth_of(_draws(20.0, 5.0), None, 260.0)["silent"] == []
