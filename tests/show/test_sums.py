"""How an instrument shows itself, against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.show.pictures.reading import reaches

import privopt as po
from privopt.show.sums import sums_plot, sums_text, sums_view, sums_worth

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)
PROGRAM = po.ConvexProgram(linear=[1.0, 2.0], G=np.eye(2), d=None, data_names=["first", "other"])


def instrument(W: object) -> po.Instrument:
    domain = po.Box([0.0, 1.0], [1.0, 4.0])
    return po.Instrument(W, program=PROGRAM, privacy=NOISE, domain=domain)


SUMS = instrument([[1.0, 1.0], [0.0, -2.0]])
CHOSEN = SUMS.compared(
    {
        "chosen": "pairs", "loss": 0.01, "distance": 0.3, "spread": 1.0,
        "candidates": [{"candidate": "pairs", "sums": 2}],
    }
)  # fmt: skip


def test_what_a_sum_can_vary_by_stands_beside_its_noise() -> None:
    view, made = sums_view(SUMS), SUMS.calibration
    assert made is not None
    assert list(view.table.columns["can vary by"]) == [2.0, 3.0]
    assert list(view.table.columns["entries"]) == [2, 1]
    assert list(view.table.columns["noise"]) == [made.scale] * 2
    assert "a change of one private entry by 0.1" in view.text()
    assert view.more == ()
    assert sums_worth(SUMS) is None


def test_nothing_measured_says_so() -> None:
    nothing = instrument({})
    view = sums_view(nothing)
    assert {fact.name: fact.text for fact in view.facts}["charge"] == "none"
    assert sums_text(nothing) == "Instrument(nothing is measured; epsilon 0)"


def test_one_that_was_chosen_says_what_decisions_tell() -> None:
    worth = sums_worth(CHOSEN)
    assert worth is not None
    assert worth.verdict == "91% of what varies in the answers"
    view = sums_view(CHOSEN)
    assert worth.verdict in view.text()
    assert worth.verdict in sums_text(CHOSEN)
    assert [table.title for table in view.more] == ["chosen: pairs"]
    assert worth.verdict in sums_plot(CHOSEN).caption


def test_a_picture_has_the_range_of_each_sum_and_its_noise() -> None:
    (domain, noise), (other, _) = reaches(sums_plot(SUMS))
    made = SUMS.calibration
    assert made is not None
    assert (domain, other) == ((3.0, 2.0), (-5.0, 3.0))
    assert noise == pytest.approx((3.0, 3 * made.scale), rel=0.05)


def test_which_epsilon_would_do_is_read_from_the_simulated_curve() -> None:
    def point(epsilon: float, distance: float) -> dict[str, object]:
        numbers = {"epsilon": epsilon, "loss": 0.1, "loss_error": None, "distance": distance}
        return {**numbers, "distance_error": None, "decisions": 6, "without": 0}

    def half(*points: tuple[float, float]) -> float | None:
        own = next(distance for epsilon, distance in points if epsilon == 1.0)
        curve = {"even": 1.0, "points": [point(*one) for one in points]}
        told = CHOSEN.comparison or {}
        worth = sums_worth(SUMS.compared({**told, "distance": own, "curve": curve}))
        assert worth is not None
        return worth.half

    enough = half((0.0, 1.0), (1.0, 0.9), (4.0, 0.3))
    assert enough is not None
    assert 1.0 < enough < 4.0
    assert half((0.0, 1.0), (1.0, 0.9), (4.0, 0.8)) == float("inf")  # these sums never would
    assert half((0.0, 1.0), (1.0, 0.9)) is None  # nobody looked
