"""Instruments: what they read, refuse, keep in files and charge; y again in exact fractions."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from tests.kernel.instruments import BOX, NOISE, D, charges, made, random_instrument, saved

import privopt as po
from privopt.errors import BudgetExceededError, InputError, KeyUsedError
from privopt.kernel.instrument import Instrument
from privopt.noise.calibration import Calibration


@pytest.mark.parametrize(
    ("W", "matrix", "names"),
    [
        ({"all": ["d0", "d1", "d2"], "one": "d1"}, [[1, 1, 1], [0, 1, 0]], ("all", "one")),
        ({"last": [-1]}, [[0, 0, 1]], ("last",)),
        ({"masked": [True, False, True]}, [[1, 0, 1]], ("masked",)),
        ([[1, -2, 0.5]], [[1, -2, 0.5]], ("sum[0]",)),
        ([1, 1, 1], [[1, 1, 1]], ("sum[0]",)),
        (sp.csr_array([[0, 0, 3.0]]), [[0, 0, 3]], ("sum[0]",)),
        (
            pd.DataFrame([[1.0, 2.0, 3.0]], columns=["d2", "d0", "d1"], index=["weighted"]),
            [[2, 3, 1]],
            ("weighted",),
        ),
    ],
)
def test_sums_by_name_by_position_or_as_a_matrix(W: Any, matrix: Any, names: Any) -> None:
    one = made(W)
    assert one.W.tolist() == matrix
    assert one.names == names


def test_names_of_a_matrix_are_given_beside_it() -> None:
    assert made(np.eye(3)[:2], names=["a", "b"]).names == ("a", "b")


@pytest.mark.parametrize(
    ("W", "names", "said"),
    [
        ({"a": ["d9"]}, None, "'d9' is not a name"),
        ({"a": ["d3"]}, None, "'d3' is not a name of the private"),  # not private
        ({"a": [3]}, None, "position 3 is outside"),
        ({"a": ["d0", "d0"]}, None, "an entry twice"),
        ({"a": ["d0", 0]}, None, "an entry twice"),
        ({"a": []}, None, "no entry"),
        ({"a": ["d0"], "b": [False, False, False]}, None, "no entry"),
        ({1: ["d0"], "1": ["d1"]}, None, "'1' stands for more than one"),
        ({"a": ["d0"]}, ["b"], "names were given with a dict"),
        ([[1, 1, 1], [0, 0, 0]], None, "no entry"),
        ([[1, np.nan, 1]], None, "NaN"),
        ([[1, np.inf, 1]], None, "infinity"),
        ([[1, 1]], None, "2 columns"),
        ([[1, 1, 1, 1]], None, "4 columns"),
        ([[[1, 1, 1]]], None, "matrix of numbers"),
        ("d0", None, "matrix of numbers"),
        (None, None, "matrix of numbers"),
        ([[1, 1, 1]], ["a", "b"], "2 names were given for 1"),
        (np.eye(3), ["a", "b", "a"], "'a' stands for more than one"),
        (pd.DataFrame([[1.0, 1.0, 1.0]], columns=["d0", "d1", "x"]), None, "does not match"),
        (pd.DataFrame([[1.0, 1.0, 1.0]], columns=["d0", "d1", "d1"]), None, "does not match"),
        ([[1e200, 1, 1]], None, "no noise could hide"),
        ([[1e-200, 0, 0]], None, "below 1e-100"),
        ([[1, 1, 1], [1e-20, 0, 0]], None, "2\\^-48 of the largest"),
    ],
)
def test_sums_that_cannot_be_measured_are_refused(W: Any, names: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        made(W, names=names)


def test_noise_and_program_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="privacy is a float"):
        made([1, 1, 1], privacy=1.0)

    class Nothing:
        data_names = ("a", "b")
        private = np.zeros(0, dtype=np.int64)

    with pytest.raises(InputError, match="no private entries"):
        Instrument({}, program=Nothing(), privacy=NOISE, domain=BOX)


def test_columns_that_no_noise_of_floats_could_hide_are_refused() -> None:
    with pytest.raises(InputError, match="2\\^28 times"):
        made([1, 1, 1], po.Box(0, 1e12))


@pytest.mark.parametrize("W", [{}, [], np.zeros((0, 3)), sp.csr_array((0, 3))])
def test_nothing_measured_costs_nothing(W: Any, tmp_path: Path) -> None:
    one = made(W)
    assert one.calibration is None
    assert one.rounding.shape == (0,)
    with po.Ledger(tmp_path / "ledger", limit=po.Budget(1)) as ledger:
        found = one.measure(D, ledger, "k")
        assert ledger.spent.epsilon == 0
        assert charges(ledger) == 0
    assert (found.epsilon, found.delta, found.claim, found.ledger) == (0.0, 0.0, None, None)
    assert found.values.shape == (0,)
    assert found.W.shape == (0, 3)
    found.save(tmp_path / "measurement.json")
    again = po_measurement(tmp_path / "measurement.json")
    assert again.to_dict() == found.to_dict()
    assert np.array_equal(again.domain[0], np.full(3, 0.5))
    with pytest.raises(InputError, match="length"):
        one.measure([1.0])


def po_measurement(path: Path) -> Any:
    from privopt.kernel.measurement import Measurement

    return Measurement.load(path)


def test_a_box_off_the_grid_is_kept_as_it_was_given(tmp_path: Path) -> None:
    """The map clamps within; decisions need the domain that was promised."""
    one = made([1, 1, 1], po.Box(0.3, 1 / 3))
    assert one.domain[0].tolist() == [0.3] * 3
    inside = one.kernel.map.box
    assert (inside[0] > 0.3).all()
    data = saved(one, tmp_path)
    again = Instrument.load(tmp_path / "instrument.json")
    assert np.array_equal(again.domain, one.domain)
    assert "domain" not in made([1, 1, 1], po.Box(0.5, 1.0)).to_dict()
    for change in ({"lower": [0.31] * 3}, {"upper": [0.3] * 3}, {"lower": None}, {"lower": [0.3]}):
        data["domain"] = again.to_dict()["domain"] | change
        (tmp_path / "instrument.json").write_text(json.dumps(data))
        with pytest.raises(InputError, match="not a whole instrument"):
            Instrument.load(tmp_path / "instrument.json")


def test_a_ledger_charges_once_and_replays_under_a_key(tmp_path: Path) -> None:
    one = made({"total": [0, 1, 2]})
    one.save(tmp_path / "instrument.json")
    loaded = Instrument.load(tmp_path / "instrument.json")
    with po.Ledger(tmp_path / "ledger", limit=po.Budget(1.5)) as ledger:
        first = one.measure(D, ledger, "noon")
        again = loaded.measure([0.0] * 4, ledger, "noon")
        assert again.to_dict() == first.to_dict()
        assert again.digest == first.digest
        assert again.release is not None
        assert again.release.replayed
        assert ledger.spent.epsilon == pytest.approx(1.0)
        assert first.ledger is not None
        with pytest.raises(KeyUsedError):
            made({"total": [0, 1]}).measure(D, ledger, "noon")
        with pytest.raises(BudgetExceededError):
            loaded.measure(D, ledger, "later")
        assert charges(ledger) == 1
        request = ledger.events[-1].request
        assert request is not None
        assert (request.mechanism, request.noise) == ("measurement", "Laplace")


@pytest.mark.parametrize("field", ["names", "noise", "map", "calibration", "data_names", "private"])
def test_a_file_damaged_anywhere_is_refused_or_sound(field: str, tmp_path: Path) -> None:
    """What still loads (a smaller alpha, finer weights, other names) is private as it says."""
    one = made({"total": [0, 1, 2], "first": [0]})
    path = tmp_path / "instrument.json"
    whole = saved(one, tmp_path)
    loaded = 0
    for wrong in _damaged(whole[field]):
        path.write_text(json.dumps(whole | {field: wrong}))
        again = loads(path)
        if again is not None:
            loaded += 1
            noise, heaviest = again.calibration, np.abs(again.W).sum(axis=0).max()
            assert noise is not None
            assert heaviest * again.privacy.alpha < noise.sensitivity
            assert noise.sensitivity < noise.scale * again.privacy.epsilon
    assert loaded <= 3
    del whole[field]
    path.write_text(json.dumps(whole))
    with pytest.raises(InputError, match="not a whole instrument"):
        Instrument.load(path)


def loads(path: Path) -> Instrument | None:
    try:
        return Instrument.load(path)
    except InputError as error:
        if "not a whole instrument" not in str(error):
            raise
        return None


def _damaged(value: Any) -> list[Any]:
    """The value broken in many ways: other types, lengths, and each part of it changed."""
    found: list[Any] = ["x", 3, 1.5, [], {}, True, [None]]
    if value is not None:
        found.append(None)
    if isinstance(value, list):
        found += [value[:-1], value + value[-1:], [*value[:-1], None], [*value[:-1], 1.5]]
    if isinstance(value, dict):
        for name, item in value.items():
            found += [{k: v for k, v in value.items() if k != name}]
            found += [value | {name: wrong} for wrong in ("x", None, [], {}, [1.5])]
            if isinstance(item, float):
                found += [value | {name: item * 0.5}, value | {name: -item}]
            if type(item) is int:
                found += [value | {name: item + 1}, value | {name: item - 1}]
    return [one for one in found if one != value]


def test_saved_and_loaded_it_is_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    for _ in range(10):
        one = random_instrument(rng)
        one.save(tmp_path / "instrument.json")
        again = Instrument.load(tmp_path / "instrument.json")
        assert again.to_dict() == one.to_dict()
        assert again.kernel.subject == one.kernel.subject
        assert np.array_equal(again.W, one.W)
        assert np.array_equal(again.rounding, one.rounding)
        assert isinstance(again.calibration, Calibration)
        assert again.calibration == one.calibration


def test_public_rows_go_with_the_measurement_and_change_no_noise(tmp_path: Path) -> None:
    rows = ({"total": ["d0", "d1", "d2"], "pair": [0, 1]}, [2.0, -np.inf], [3.0, 2.1])
    known = made([1, 1, 0], po.Domain(0.5, 1.3, rows=rows))
    plain = made([1, 1, 0])
    assert known.kernel.subject != plain.kernel.subject  # decisions rest on them
    assert known.calibration == plain.calibration
    data = saved(known, tmp_path)
    assert data["domain"]["rows"] == {
        "W": [[1.0, 1.0, 1.0], [1.0, 1.0, 0.0]], "low": [2.0, None], "high": [3.0, 2.1],
    }  # fmt: skip
    again = Instrument.load(tmp_path / "instrument.json")
    found = again.measure([0.5, 0.5, 0.5, 0.0])  # outside the rows: measured as it is
    for mine, theirs in zip(found.rows, known.rows, strict=True):
        assert np.array_equal(mine, theirs)
    found.save(tmp_path / "measurement.json")
    assert po_measurement(tmp_path / "measurement.json").rows[1].tolist() == [2.0, -np.inf]
    for wrong in _damaged(data["domain"]["rows"]):
        data["domain"]["rows"] = wrong
        (tmp_path / "instrument.json").write_text(json.dumps(data))
        with pytest.raises(InputError, match="not a whole instrument"):
            Instrument.load(tmp_path / "instrument.json")


@pytest.mark.parametrize(
    "privacy",
    [
        NOISE,
        po.Gaussian(epsilon=0.5, delta=1e-5, alpha=[0.1, 0.2, 0.3]),
        po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.1, owners=["a", "a", "b"]),
    ],
    ids=["laplace", "gaussian", "truncated"],
)
def test_another_epsilon_is_another_instrument_of_the_same_sums(privacy: Any) -> None:
    one = made({"all": [0, 1, 2], "one": [1]}, privacy=privacy)
    other = one.with_epsilon(0.25)
    asked = dataclasses.replace(privacy, epsilon=0.25)
    again = made({"all": [0, 1, 2], "one": [1]}, privacy=asked)
    assert other.to_dict() == again.to_dict()
    assert other.kernel.subject == again.kernel.subject
    assert other.kernel.subject != one.kernel.subject
    assert other.calibration is not None
    assert other.calibration.epsilon <= 0.25
    assert one.privacy.epsilon == privacy.epsilon
    with pytest.raises(InputError, match="epsilon"):
        one.with_epsilon(0.0)


def test_what_was_simulated_is_not_said_of_another_epsilon() -> None:
    known = {"chosen": "total", "loss": 0.1, "distance": 0.2, "spread": 0.5, "candidates": []}
    one = made([1, 1, 1]).compared(known)
    assert one.loss == 0.1
    assert one.with_epsilon(2.0).loss is None


def test_noise_and_sums_vary_alike_at_the_even_epsilon() -> None:
    one = made([[1, 1, 1], [2, 0, 0]], BOX)
    noise = one.with_epsilon(one.even).calibration
    assert noise is not None
    sums = np.random.default_rng(0).uniform(0.5, 1.3, (200_000, 3)) @ one.W.T
    assert noise.deviation == pytest.approx(np.sqrt(sums.var(axis=0).mean()), rel=0.01)
    assert made([1, 1, 1], po.Box(1.0, 1.0)).even == 1.0
    assert made({}).even == 1.0
