"""Simulated candidates: counted as they were looked at, weighed as they are asked for."""

from __future__ import annotations

import numpy as np
import pytest
from tests.mechanisms.measured.test_choosing import BOX, DOMAIN, NOISE, program

import privopt as po
from privopt.mechanisms.measured.candidates import Candidate
from privopt.mechanisms.measured.simulating import Simulations
from privopt.mechanisms.measured.task import DecisionTask
from privopt.solving.robust.region import Region


@pytest.fixture
def study() -> Simulations:
    one = program()
    ends = DOMAIN.ends(1)
    everywhere = Region.of(*ends, *DOMAIN.slabs(one.private_names))
    task = DecisionTask(one, po.Identity([0]), everywhere, ends, po.Settings())
    return Simulations(task.program, task, NOISE, BOX, DOMAIN, 2.0, 5)


def test_what_is_minimised_is_loss_and_distance(study: Simulations) -> None:
    total = Candidate("total", np.ones((1, 1)), ("total",))
    found = study.simulate(total, study.instrument(total), range(2))
    expected = found.losses.mean() * study.task.scale + 2.0 * found.squares.mean()
    assert study.objective(found) == pytest.approx(expected)
