"""Values within a distance: the optimum of the plain model with that bound, or the least of it."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.mechanisms.measured import cases
from tests.mechanisms.measured.cases import Case, distance, objective, plain

import privopt as po
from privopt.errors import InfeasibleError, InputError


def asked(seed: int) -> tuple[Case, list[po.Measurement]]:
    one, rng = replace(cases.case(seed), fidelity=0.0), np.random.default_rng(seed + 1000)
    return one, one.simulated(cases.inside(one, rng), rng)


def least(one: Case, measurements: list[po.Measurement]) -> float:
    """What the error names."""
    with pytest.raises(InfeasibleError, match="at this y") as caught:
        one.decide(measurements, fidelity=po.Within(1e-6))
    return float(caught.value.needed.split("at least ")[1].split(" ")[0])


@pytest.mark.long
@pytest.mark.parametrize(
    "seed", [0, 13, 16, *(pytest.param(s, marks=pytest.mark.slow) for s in (1, 3, 7, 11, 15, 19))]
)
def test_the_values_are_the_optimum_of_the_plain_model_with_the_bound(seed: int) -> None:
    one, measurements = asked(seed)
    free = plain(one, measurements)
    assert free.q is not None
    far, near = distance(one, free.q, free), least(one, measurements)
    bound = 0.5 * (far + near)
    found = one.decide(measurements, fidelity=po.Within(bound))
    there = distance(one, found.values, free)
    spread = distance(one, *_mean_answer(one, free))
    assert there <= bound * (1 + 1e-6)
    assert there**2 - spread**2 >= 0.93 * (bound**2 - spread**2)  # 0.97 of it, squared
    exact = plain(one, measurements, there)
    assert objective(one, found.values, free) == pytest.approx(exact.value, rel=1e-5, abs=1e-6)
    assert exact.value > free.value + 1e-7
    assert found.check().excess <= 0


def _mean_answer(one: Case, known: cases.Plain) -> tuple[np.ndarray, cases.Plain]:
    """The mean answer, which no values are nearer than: found by three distances for each value."""
    p = one.query.matrix(one.program).shape[0]
    zero = distance(one, np.zeros(p), known) ** 2
    return np.array([(zero + 1 - distance(one, e, known) ** 2) / 2 for e in np.eye(p)]), known


def test_the_distance_that_is_named_is_the_least_and_does_as_it_is_printed() -> None:
    one, measurements = asked(9)
    near = least(one, measurements)
    found = one.decide(measurements, fidelity=po.Within(near))
    assert found.check().excess <= 0
    assert plain(one, measurements, 0.99 * near).q is None
    with pytest.raises(InfeasibleError):
        one.decide(measurements, fidelity=po.Within(0.99 * near))


def test_a_bound_that_holds_anyway_changes_nothing() -> None:
    one, measurements = asked(2)
    texts = {
        json.dumps(one.decide(measurements, fidelity=wish).to_dict())
        for wish in (0.0, po.Within(1e3))
    }
    assert len(texts) == 1


def test_a_fallback_is_taken_where_the_bound_cannot_be_kept() -> None:
    one, measurements = asked(2)
    p = one.query.matrix(one.program).shape[0]
    found = one.decide(measurements, fidelity=po.Within(1e-6), fallback=np.ones(p))
    assert found.values.tolist() == [1.0] * p
    assert found.certificate is None


def test_what_is_refused() -> None:
    one, measurements = asked(2)
    with pytest.raises(InputError, match="Within"):
        one.decide(measurements, fidelity=-1.0)
