"""What an audit looks at: a mechanism on the paper's instance, and a pair of neighbours."""

from __future__ import annotations

import numpy as np
import pytest

import privopt as po
from privopt.errors import InputError
from privopt.experiments.audited import searched_case

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)


@pytest.mark.parametrize("which", ["output", "naive"])
def test_the_pair_differs_in_one_demand_by_no_more_than_alpha(which: str) -> None:
    case = searched_case("3_lmbd", which, NOISE, seed=2, tries=10)
    apart = np.abs(case.d - case.d_prime)
    assert np.count_nonzero(apart) == 1
    assert apart.max() <= NOISE.one_alpha * (1 + 1e-9)
    assert case.computed is not None
    assert case.claimed == (1.0 if which == "naive" else None)  # else the releases say it
    assert callable(case.mechanism)


def test_nothing_named_is_nothing_to_audit() -> None:
    with pytest.raises(InputError, match="nothing to audit was named"):
        searched_case(None, "paper", NOISE, 0, 10)
