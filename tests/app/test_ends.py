"""Domains compared: what a grid moves is no difference, what a job says otherwise is."""

from __future__ import annotations

import numpy as np

from privopt.app.ends import ROUNDING, differing_domain


def test_a_difference_is_named_and_rounding_is_none() -> None:
    low, high = np.array([0.0, 1.0]), np.array([1.0, 3.0])
    near = (low + 0.5 * ROUNDING * 0.1, high)
    assert differing_domain(near, (low, high), 0.1, ["a", "b"], "policy") is None
    other = (low, np.array([1.0, 2.5]))
    assert differing_domain(other, (low, high), 0.1, ["a", "b"], "measurement") == (
        "the domain of b is 1 to 2.5 in the job, 1 to 3 in the measurement"
    )
    both = (low - 1, high)
    assert "(and 1 more)" in (differing_domain(both, (low, high), 0.1, ["a", "b"], "policy") or "")
