"""Bad input to decisions: measurements of something else, priors and etas that are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import privopt as po
from privopt.errors import InputError

G = np.array([[1.0, 0, 1, 0], [0, 1, -1, 1]])
QUERY, BOX = po.Identity(["p0"]), po.Box(0.5, 1.3)
NOISE, FEASIBLE = po.Laplace(epsilon=1.0, alpha=0.1), po.ExactBox(eta=0.05)


def program(*names: str) -> po.ConvexProgram:
    return po.ConvexProgram(
        linear=[1.0, 2, 0, 3], quadratic=[0.1, 0.1, 0.01, 0.1], G=G, lower=[0, 0, -5, 0],
        upper=[4, 4, 5, 4], names=["p0", "p1", "flow", "p2"], data_names=names or ("d0", "d1"),
    )  # fmt: skip


def instrument(**more: Any) -> po.Instrument:
    given = {"program": program(), "privacy": NOISE, "domain": BOX} | more
    return po.Instrument({"total": [0, 1]}, **given)


@pytest.fixture(scope="module")
def measurement() -> po.Measurement:
    return instrument().measure([0.7, 0.9])


@pytest.mark.parametrize("given", [None, 5, [], [None], "m.json", instrument(), [[0.7]]])
def test_what_is_no_measurement(given: Any) -> None:
    with pytest.raises(InputError, match="measurement is no Measurement"):
        po.decide(program(), QUERY, given, FEASIBLE)


def test_measurements_of_two_datasets_do_not_combine(tmp_path: Path) -> None:
    """Their ledgers say so: an intersection of slabs would be about no data at all."""
    made: list[po.Measurement] = []
    for name in ("may", "june"):
        with po.Ledger(tmp_path / name, limit=po.Budget(2.0), dataset=name) as ledger:
            made += [instrument().measure([0.7, 0.9], ledger, key) for key in ("one", "two")]
    with pytest.raises(InputError, match="ledgers of june, may"):
        po.decide(program(), QUERY, [made[0], made[2]], FEASIBLE)
    assert po.decide(program(), QUERY, made[:2], FEASIBLE).epsilon == pytest.approx(2.0)
    known = [made[0], instrument().measure([0.7, 0.9])]  # nobody knows of the second
    assert po.decide(program(), QUERY, known, FEASIBLE).epsilon == pytest.approx(2.0)


def test_what_was_made_for_another_program(measurement: po.Measurement) -> None:
    other = program("d1", "d0")
    with pytest.raises(InputError, match="other data than this program's"):
        po.decide(other, QUERY, measurement, FEASIBLE)
    with pytest.raises(InputError, match="other data than this program's"):
        po.simulate_instrument(other, QUERY, instrument(), FEASIBLE, epsilons=())
    for wrong in (None, measurement):
        with pytest.raises(InputError, match="instrument is a"):
            po.simulate_instrument(program(), QUERY, wrong, FEASIBLE)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "prior",
    ["x", {}, [[1.0, "x"]], [0.7, 0.9], np.zeros((0, 2)), [[0.7, np.nan]], [[0.7]], [[5.0, 5.0]],
     pd.DataFrame([[0.7, 0.9]], columns=["d0", "x"])],
)  # fmt: skip
def test_what_is_no_prior(prior: Any, measurement: po.Measurement) -> None:
    with pytest.raises(InputError, match="prior"):
        po.decide(program(), QUERY, measurement, FEASIBLE, prior=prior)


def test_a_prior_is_aligned_by_its_labels(measurement: po.Measurement) -> None:
    draws = np.random.default_rng(0).uniform(0.5, 1.3, (40, 2))
    named = pd.DataFrame(draws[:, ::-1], columns=["d1", "d0"])
    plain = po.decide(program(), QUERY, measurement, FEASIBLE, prior=draws)
    again = po.decide(program(), QUERY, measurement, FEASIBLE, prior=named)
    assert again.to_dict() == plain.to_dict()


@pytest.mark.parametrize("eta", [1e-17, 1e-200, 1e-300])
def test_an_eta_that_one_minus_eta_does_not_show(eta: float, measurement: po.Measurement) -> None:
    """The half-width of a Laplace box of one row is scale ln(1/eta)."""
    found = po.decide(program(), QUERY, measurement, po.ExactBox(eta=eta))
    assert found.check().excess <= 0
    from privopt.mechanisms.measured.belief import Belief

    (width,) = Belief.of(measurement, program()).half_widths(po.ExactBox(eta=eta))
    assert width[0] == pytest.approx(0.1 * np.log(1 / eta), rel=1e-6)


def test_an_eta_below_what_floats_share_is_refused() -> None:
    with pytest.raises(InputError, match="at least 1e-300"):
        po.ExactBox(eta=1e-310)


def test_candidates_and_domains_that_are_none() -> None:
    def choose(**more: Any) -> None:
        given = {"domain": BOX} | more
        po.choose_instrument(program(), QUERY, NOISE, FEASIBLE, **given)

    for domain in (None, (0.5, 1.3), po.Box):
        with pytest.raises(InputError, match="domain is"):
            choose(domain=domain)
    with pytest.raises(InputError, match="a candidate is named 'nothing'"):
        choose(candidates={"nothing": [[1.0, 1.0]]})
    with pytest.raises(InputError, match="'a' is a dict"):
        choose(candidates={"mine": {"a": {"d0": 2.0}}})
