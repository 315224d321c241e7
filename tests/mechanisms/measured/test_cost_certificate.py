"""Certificates of a cost: ends by arithmetic alone, and the same from plain data."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from tests.solving.robust.cost_parts import Parts, parts, true_ends

from privopt.mechanisms.measured.cost_certificate import CostCertificate


def certificate(one: Parts) -> CostCertificate:
    return CostCertificate(one.rule, one.squares, one.chords, one.multipliers)


@pytest.mark.parametrize("seed", [0, 1, 6])
def test_both_ends_and_plain_data(seed: int) -> None:
    one = parts(seed)
    made = certificate(one)
    least, most = true_ends(one)
    lower, upper = made.ends(one.program)
    assert lower <= least + 1e-8
    assert upper >= most - 1e-8
    assert upper - lower <= 1.1 * (most - least) + 1e-5
    again = CostCertificate.from_dict(json.loads(json.dumps(made.to_dict())), one.program)
    assert again.ends(one.program) == (lower, upper)
    assert again.to_dict() == made.to_dict()


def test_without_an_upper_end_there_is_no_lower_one() -> None:
    """The lower end uses the upper one: dearer solutions are no optimum."""
    one = parts(1)
    made = certificate(one)
    high = made.chords.high - 1.0
    assert replace(made, chords=replace(made.chords, high=high)).ends(one.program) == (
        -np.inf,
        np.inf,
    )


def test_a_gain_that_is_written_sparse_is_the_same_gain() -> None:
    one = parts(1)
    made = certificate(one)
    thin = replace(made, rule=replace(made.rule, K=sp.csr_array(made.rule.dense)))
    assert thin.ends(one.program) == made.ends(one.program)
    assert CostCertificate.from_dict(thin.to_dict(), one.program).ends(one.program) == made.ends(
        one.program
    )


def test_shapes_that_do_not_fit_are_refused() -> None:
    one = parts(1)
    data = certificate(one).to_dict()
    for name in ("low", "price", "rows", "equalities", "tangents", "slabs"):
        with pytest.raises(ValueError, match="^$"):
            CostCertificate.from_dict({**data, name: [*data[name], 0.0]}, one.program)
