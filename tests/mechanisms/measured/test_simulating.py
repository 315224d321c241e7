"""Simulated candidates: counted as they were looked at, weighed as they are asked for."""

from __future__ import annotations

import numpy as np
import pytest
from tests.mechanisms.measured.test_choosing import BOX, DOMAIN, NOISE, program

import privopt as po
from privopt.mechanisms.measured.candidates import NOTHING, Candidate
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


def test_every_draw_is_counted(study: Simulations) -> None:
    nothing = Candidate(NOTHING, np.zeros((0, 1)), ())
    total = Candidate("total", np.ones((1, 1)), ("total",))
    constant = study.simulate(nothing, study.instrument(nothing), range(4))
    measured = study.simulate(total, study.instrument(total), range(4))
    assert (len(constant.losses), constant.looked) == (1, 384)
    assert (len(measured.losses), measured.looked) == (4, 4 * 24)
    assert constant.without == measured.without == constant.failed == measured.failed == 0
    assert study.done == 5
    assert measured.distance < constant.distance


def test_what_is_minimised_is_loss_and_distance(study: Simulations) -> None:
    total = Candidate("total", np.ones((1, 1)), ("total",))
    found = study.simulate(total, study.instrument(total), range(2))
    expected = found.losses.mean() * study.task.scale + 2.0 * found.squares.mean()
    assert study.objective(found) == pytest.approx(expected)
