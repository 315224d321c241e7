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
from privopt.mechanisms.private_data import followed

SEEDS = (1, 4)


def certificate(one: po.Decision) -> Certificate:
    assert one.certificate is not None
    return one.certificate


@pytest.mark.parametrize("seed", SEEDS)
def test_it_is_read_as_it_was_written(seed: int) -> None:
    decision = test_decision.decided(seed)
    one, program = certificate(decision), decision.program
    data: Any = json.loads(json.dumps(one.to_dict()))
    start, F = followed(program, (), decision.public.data)
    again = Certificate.from_dict(copy.deepcopy(data), program, decision.S, start, F)
    assert again.to_dict() == data
    assert again.about(start, F)
    short = {**data, "solution": data["solution"][:-1]}
    with pytest.raises(ValueError):
        Certificate.from_dict(short, program, decision.S, start, F)


def test_it_speaks_of_the_private_entries_and_of_no_others() -> None:
    decision = test_decision.decided(SEEDS[0])
    one, program = certificate(decision), decision.program
    start, F = followed(program, (), decision.public.data)
    for k in range(len(one.target)):
        moved = one.target.copy()
        moved[k] += 0.5
        assert not replace(one, target=moved).about(start, F)
    assert not replace(one, F=2 * one.F).about(start, F)
    assert np.array_equal(one.target[program.private], one.region.middle)
