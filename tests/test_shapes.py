"""Arrays by names: there and back again in any order, refused without a look at a value."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import privopt as po
from privopt.errors import InputError
from privopt.shapes import flattened, folded, nested

NAMES = ("x[0,0]", "x[1,0]", "x[0,1]", "x[1,1]", "x[0,2]", "x[1,2]", "t", "u[1]", "u[0]")
X, U = np.arange(6.0).reshape(2, 3), np.array([7.0, 8.0])
FLAT = [0.0, 3, 1, 4, 2, 5, 6, 8, 7]


def test_values_are_the_arrays_that_their_names_speak_of() -> None:
    found = folded(NAMES, np.array(FLAT))
    assert list(found) == ["x", "t", "u"]
    assert np.array_equal(found["x"], X)
    assert np.array_equal(found["u"], U)
    assert found["t"].shape == ()
    assert float(found["t"]) == 6.0


FORMS: list[Any] = [
    {"x": X, "t": 6.0, "u": U},
    {"u": U.tolist(), "t": Decimal(6), "x": X.tolist()},
    [X, 6, U],
    (X.tolist(), np.array(6.0), tuple(U)),
    [X.astype(np.float32), np.float64(6), U.astype(int)],
]


@pytest.mark.parametrize("form", FORMS)
def test_arrays_are_the_values_of_the_names(form: Any) -> None:
    assert [float(v) for v in flattened(form, NAMES, "d")] == FLAT


@settings(max_examples=50, derandomize=True, deadline=None)
@given(shape=st.lists(st.integers(1, 4), min_size=1, max_size=3), seed=st.integers(0, 99))
def test_there_and_back_again_in_any_order(shape: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole = rng.normal(size=shape)
    places = [tuple(int(i) for i in place) for place in rng.permutation(list(np.ndindex(*shape)))]
    names = [f"load[{','.join(map(str, place))}]" for place in places]
    flat = np.array([whole[place] for place in places])
    assert np.array_equal(folded(names, flat)["load"], whole)
    again = flattened(whole if len(shape) > 1 else {"load": whole}, names, "d")
    assert np.array_equal(np.array(again), flat)


def test_a_place_that_is_not_among_the_names_is_not_known() -> None:
    found = folded(["g[1,2]", "g[1,0]"], np.array([5.0, 4.0]))["g"]
    assert found.shape == (2, 3)
    assert found[1].tolist()[::2] == [4.0, 5.0]
    assert np.isnan(found).sum() == 4


@pytest.mark.parametrize(
    "names",
    [
        ("x", "x[0]"), ("x[0]", "x[0,1]"), ("x[999999]",), ("x[01]", "x[a]"), ("[0]", "x[-1]"),
        ("x[1 ]", "x[]"), (f"x[{'9' * 5000}]",), ("flow[a,b]", "lower[x[0]]"),
    ],
)  # fmt: skip
def test_names_that_speak_of_no_array_stay_single_values(names: tuple[str, ...]) -> None:
    values = np.arange(1.0, 1 + len(names))
    found = folded(names, values)
    assert {name: float(value) for name, value in found.items()} == dict(
        zip(names, values, strict=True)
    )


def test_what_is_no_array_is_left_as_it_is() -> None:
    frame = pd.DataFrame(X)
    for value in (1.0, FLAT, np.array(FLAT), pd.Series(FLAT), frame, "x", None, object()):
        assert flattened(value, NAMES, "d") is value
        assert not nested(value)
    table = [[1.0], [2.0]]
    assert nested(table)
    assert flattened(table, ("a", "b"), "d") is table
    assert flattened(table, None, "d") is table


SECRET = 1.2345
WRONG: list[tuple[Any, str]] = [
    ({"x": X}, "the names of d do not match"),
    ({"x": X, "t": 1.0, "SECRET": U}, "the names of d do not match"),
    ({"x": X.T, "t": SECRET, "u": U}, r"d has shape \(3, 2\) for x"),
    ({"x": X, "t": U, "u": SECRET}, r"d has shape \(2,\) for t"),
    ({"x": [[1, 2, 3], [1, SECRET]], "t": 1, "u": U}, "d is list for x"),
    ({"x": "SECRET", "t": 1, "u": U}, "d is str for x"),
    ({"x": np.ma.masked_array(X), "t": 1, "u": U}, "d is MaskedArray for x"),
    ({"x": sp.csr_array(X), "t": 1, "u": U}, "d is csr_array for x"),
    ({"x": pd.DataFrame(X), "t": 1, "u": U}, "d is DataFrame for x"),
    ([X, SECRET], "d is a list of 2"),
    ([U, SECRET, X], r"d has shape \(2,\) for x"),
    (X, r"d is one array of shape \(2, 3\)"),
    ({"x": X, "t": 1, "u": []}, r"d has shape \(0,\) for u"),
]


@pytest.mark.parametrize(("value", "says"), WRONG)
def test_other_shapes_are_refused_without_a_value(value: Any, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        flattened(value, NAMES, "d")
    assert caught.value.needed == "x of shape (2, 3), t, u of shape (2,)."
    assert "1.2345" not in str(caught.value)
    assert "SECRET" not in str(caught.value)


def program() -> po.ConvexProgram:
    """A load of 2 x 2 is met entry by entry, by two sources each."""
    names = [f"x[{i},{j}]" for i in range(2) for j in range(2)]  # the last index fastest here
    return po.ConvexProgram(
        linear=[1, 2, 3, 4, 1, 1, 1, 1], quadratic=[1.0] * 8, G=np.hstack([np.eye(4), np.eye(4)]),
        lower=0, upper=9, names=[*names, *(name.replace("x", "y") for name in names)],
        data_names=[name.replace("x", "load") for name in names],
    )  # fmt: skip


LOAD = np.array([[1.5, 2.0], [2.5, 3.0]])


def test_everything_that_takes_d_takes_its_shape() -> None:
    own, query = program(), po.Identity([f"x[{i},{j}]" for i in range(2) for j in range(2)])
    domain = po.Box(LOAD - 1, LOAD + 1)
    assert own.data(LOAD).tolist() == own.at(LOAD.tolist()).d.tolist() == [1.5, 2.0, 2.5, 3.0]
    assert po.ConvexProgram(G=np.eye(4), data_names=own.data_names, d=LOAD).d.tolist() == [
        1.5, 2.0, 2.5, 3.0,
    ]  # fmt: skip
    noise = po.TruncatedLaplace(epsilon=1.0, delta=0.01, alpha=0.1)
    instrument = po.Instrument(np.ones((1, 4)), program=own, privacy=noise, domain=domain)
    assert instrument.domain[0].tolist() == [0.5, 1.0, 1.5, 2.0]
    measurement = instrument.measure(LOAD)
    decision = po.decide(own, query, measurement, po.Always())
    found = decision.arrays()["x"]
    assert found.shape == (2, 2)
    assert found.ravel().tolist() == decision.values.tolist()
    whole = decision.complete({"load": LOAD})
    assert whole.arrays()["x"] == pytest.approx(found, abs=1e-7)
    assert whole.arrays()["x"] + whole.arrays()["y"] == pytest.approx(LOAD, abs=1e-7)
    assert np.array_equal(decision.release().arrays()["x"], found)
    assert list(measurement.arrays()) == ["sum"]


def test_a_wrong_shape_is_refused_before_it_is_charged(tmp_path: Any) -> None:
    own, noise = program(), po.Laplace(epsilon=1.0, alpha=0.1)
    instrument = po.Instrument(np.ones((1, 4)), program=own, privacy=noise, domain=po.Box(0, 9))
    with po.Ledger(tmp_path / "one", limit=po.Budget(1.0)) as ledger:
        with pytest.raises(InputError, match=r"d has shape \(1, 4\)"):
            instrument.measure(LOAD.reshape(1, 4), ledger, "k")
        assert ledger.spent.epsilon == 0
        instrument.measure(LOAD, ledger, "k")
        assert ledger.spent.epsilon > 0


@pytest.mark.parametrize(
    ("lower", "upper", "says"),
    [
        (LOAD, LOAD - 1, "lies above"),
        (LOAD[:1], LOAD[:1], r"lower of the domain has shape \(1, 2\)"),
        ({"load": LOAD}, {"loads": LOAD}, "the names of upper of the domain do not match"),
        ({"load": LOAD}, {"load": np.nan}, "no finite number"),
        ([[1, 2], [1, "x"]], 9.0, "no finite number"),
    ],
)
def test_bounds_in_shapes_are_checked_like_others(lower: Any, upper: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        po.Box(lower, upper).ends(program().private_names)
