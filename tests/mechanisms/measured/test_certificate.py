"""A certificate as plain data, and of whose data it speaks."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.measured import test_decision

import privopt as po
from privopt.mechanisms.measured.certificate import Certificate

SEEDS = (1, 4)


def certificate(one: po.Decision) -> Certificate:
    assert one.certificate is not None
    return one.certificate


@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_read_as_it_was_written(seed: int) -> None:
    decision = test_decision.decided(seed)
    data: Any = json.loads(json.dumps(certificate(decision).to_dict()))
    again = Certificate.from_dict(copy.deepcopy(data), decision.program, decision.S)
    assert again.to_dict() == data
    assert again.of(decision.program)
    with pytest.raises(ValueError):
        Certificate.from_dict(
            {**data, "solution": data["solution"][:-1]}, decision.program, decision.S
        )


def test_it_speaks_of_the_private_entries_and_of_no_others() -> None:
    decision = test_decision.decided(SEEDS[0])
    one = certificate(decision)
    moved = one.target.copy()
    moved[decision.program.private[0]] += 0.5
    assert not replace(one, target=moved).of(decision.program)
    assert not replace(one, F=2 * one.F).of(decision.program)
    assert np.array_equal(one.target[decision.program.private], one.region.middle)
