"""Cost terms: the optimum of a plain CVXPY model, closed forms, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from tests.model.curved import KINDS, both

import privopt as po
from privopt.errors import InputError


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_each_term_has_the_optimum_of_the_plain_model(kind: str, seed: int) -> None:
    one = both(seed, (kind,))
    found = one.program.solve()
    known = one.optimum(one.program.d)
    assert found.cost == pytest.approx(known, rel=1e-6, abs=1e-6)
    value = float(np.asarray(one.cost(found.z[: one.n]).value).ravel()[0])
    assert value == pytest.approx(known, rel=1e-6, abs=1e-6)  # z itself is the optimum


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(s, marks=pytest.mark.slow) for s in range(3, 60))]
)
def test_terms_together_have_the_optimum_of_the_plain_model(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds = tuple(rng.choice(KINDS, 3))
    one = both(seed, kinds, (int(rng.integers(1, 8)),) * (seed % 3), n=6, k=2)
    assert one.program.solve().cost == pytest.approx(one.optimum(one.program.d), rel=1e-6, abs=1e-6)


def cost_of(*terms: Any, x: float = 3.0) -> float:
    """The cost of x = d alone."""
    program = po.ConvexProgram(costs=list(terms), G=[[1.0]], d=[x], names=["x"])
    return program.solve().cost


@pytest.mark.parametrize(
    ("made", "value"),
    [
        (po.PiecewiseLinear(of="x", slopes=[1.0, 3.0], offsets=[0, -4]), 5.0),
        (po.PiecewiseLinear(slopes=[[-1.0]]), -3.0),
        (po.PiecewiseLinear(of=0, slopes=2.0, weight=0.5), 3.0),
        (po.Norm(C=[[1.0], [1.0]], e=[1.0, 0.0]), 5.0),
        (po.Norm(C="x"), 3.0),
        (po.Norm(C=[[1.0], [2.0], [2.0]], weight=2.0), 18.0),
        (po.Norm(C=np.ones((7, 1))), 3 * math.sqrt(7)),
        (po.Power(C="x", power=3.0), 27.0),
        (po.Power(C=[[-1.0]], power=1.5), 3**1.5),
        (po.Power(C=["x"], power=2.0, e=-5.0), 4.0),
        (po.Exponential(C="x", e=-3.0), 1.0),
        (po.Exponential(C=[[0.5], [1.0]], weight=3.0), 3 * (math.exp(1.5) + math.exp(3))),
        (po.Logarithm(C="x"), -math.log(3)),
        (po.Logarithm(C=[[1.0], [2.0]], weight=2.0), -2 * math.log(18)),
        (po.Entropy(C="x"), 3 * math.log(3)),
        (po.Entropy(C=[[0.0]], e=0.5), 0.5 * math.log(0.5)),
        (po.Entropy(C="x", e=-3.0), 0.0),  # 0 log 0
    ],
)
def test_closed_forms(made: Any, value: float) -> None:
    assert cost_of(made) == pytest.approx(value, rel=1e-6, abs=1e-5)


def test_a_maximum_of_shares_by_entropy() -> None:
    """The least sum x log x with a fixed sum has equal shares; with a linear cost, softmax."""
    c = np.array([0.3, 1.0, -0.5])
    program = po.ConvexProgram(
        linear=c, costs=[po.Entropy(C=["a", "b", "c"])], G=[[1.0, 1, 1]], d=[2.0],
        names=["a", "b", "c"],
    )  # fmt: skip
    known = 2 * np.exp(-c) / np.exp(-c).sum()
    np.testing.assert_allclose(program.solve().z[:3], known, atol=2e-5)


def test_matrices_of_any_kind_and_labels() -> None:
    frame = pd.DataFrame([[2.0, 1.0], [0.0, 3.0]], columns=["y", "x"])
    costs = [
        cost_at(po.Norm(C=C, e=[1.0, -1.0]))
        for C in (frame, [[1.0, 2.0], [3.0, 0.0]], sp.csr_array([[1.0, 2.0], [3.0, 0.0]]))
    ]
    assert max(costs) - min(costs) <= 1e-8
    slopes = po.PiecewiseLinear(slopes=frame, offsets=pd.Series([0.0, 1.0]))
    assert cost_at(slopes) == pytest.approx(5.0)


def cost_at(made: Any) -> float:
    program = po.ConvexProgram(costs=[made], G=np.eye(2), d=[1.0, 2.0], names=["x", "y"])
    return program.solve().cost


def test_names_of_heights() -> None:
    named, other = po.Norm(C="x", name="length"), po.Exponential(C=[[1.0], [2.0]])
    program = po.ConvexProgram(costs=[named, other], G=[[1.0]], d=[1.0], names=["x"])
    assert program.names == ("x", "length", "exp[1].0", "exp[1].1")
    assert program.linear.tolist() == [0.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("kind", KINDS)
def test_units_do_not_matter(kind: str) -> None:
    """In thousandths and thousands of the unit it is the same optimum."""
    one = both(3, (kind,), n=3, k=1)
    C = np.eye(3)
    for unit in (1e-3, 1e3):
        x = po.Norm(C=C / unit, e=[0.5, 0.0, 1.0]), po.Power(C=C / unit, power=2.5)
        program = po.ConvexProgram(costs=list(x), G=one.G / unit, d=one.program.d)
        same = po.ConvexProgram(
            costs=[po.Norm(C=C, e=[0.5, 0.0, 1.0]), po.Power(C=C, power=2.5)], G=one.G,
            d=one.program.d,
        )  # fmt: skip
        assert program.solve().cost == pytest.approx(same.solve().cost, rel=1e-6)


TERMS = {
    "slopes": lambda v: po.PiecewiseLinear(slopes=v),
    "slopes of one": lambda v: po.PiecewiseLinear(of="x", slopes=v),
    "offsets": lambda v: po.PiecewiseLinear(slopes=[[1.0, 0.0], [2.0, 1.0]], offsets=v),
    "of": lambda v: po.PiecewiseLinear(of=v, slopes=[1.0, 2.0]),
    "C of norm": lambda v: po.Norm(C=v),
    "C of power": lambda v: po.Power(C=v, power=2.0),
    "C of exp": lambda v: po.Exponential(C=v),
    "C of log": lambda v: po.Logarithm(C=v),
    "C of entropy": lambda v: po.Entropy(C=v),
    "e": lambda v: po.Norm(C=[[1.0, 0.0], [0.0, 1.0]], e=v),
    "power": lambda v: po.Power(C="x", power=v),
    "weight": lambda v: po.Exponential(C="x", weight=v),
    "weight of pieces": lambda v: po.PiecewiseLinear(of="x", slopes=[1.0], weight=v),
    "name": lambda v: po.Norm(C="x", name=v),
    "term": lambda v: v,
}
JUNK: list[Any] = [
    float("nan"), float("inf"), [1.0, 2.0, 3.0], [[1.0]], [[1.0, float("nan")]], "nobody", [], {},
    object(), 1j, 10**400, [["a", "b"]], [[1.0, 2.0], [3.0]], np.ones((2, 2, 2)), [None], b"x",
    [float("inf"), 1.0], np.ones((0, 2)), ["x", "nobody"], 99, -99, [[np.inf, 1.0]],
    True, np.array(["x", "y"]), [True, False, True], po.Norm, -1.0, 0.0,
]  # fmt: skip


def accepted(where: str, value: Any) -> bool:
    """Whether a value means something there: numbers for vectors, texts for names, ..."""
    number = type(value) in (int, float) and abs(value) < 1e300
    number |= value is True and where not in ("weight", "weight of pieces", "power", "name")
    if where in ("slopes of one", "e", "offsets"):
        listed = isinstance(value, list) and value in ([1.0, 2.0, 3.0], [True, False, True])
        return number or (where == "slopes of one" and listed)
    if where in ("weight", "weight of pieces"):
        return number and value > 0
    if where == "power":
        return number and value > 1
    if where == "name":
        return isinstance(value, str)
    return False


@pytest.mark.parametrize("where", TERMS)
def test_junk_is_refused(where: str) -> None:
    for value in [None, *JUNK]:
        if value is None and where in ("offsets", "e", "name"):
            continue  # left out
        if where == "of" and value is None:
            continue
        if accepted(where, value):
            continue
        made = TERMS[where](value)
        with pytest.raises(InputError) as caught:
            po.ConvexProgram(costs=[made], G=[[1.0, 1.0]], d=[1.0], names=["x", "y"])
        assert caught.value.needed, (where, value)
        assert caught.value.remedy


@pytest.mark.parametrize("value", [None, 5, "terms", po.Norm(C="x"), object(), {"x": 1}, [None]])
def test_what_is_no_list_of_terms_is_refused(value: Any) -> None:
    for name in ("costs", "cones"):
        with pytest.raises(InputError):
            po.ConvexProgram(G=[[1.0, 1.0]], d=[1.0], names=["x", "y"], **{name: value})


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (po.Norm(C="x", weight=-1.0), "concave"),
        (po.Power(C="x", power=1.0), "above 1"),
        (po.Norm(C="z"), "not a name of the variables"),
        (po.Norm(C=[[1.0, 2.0, 3.0]]), "2 variables"),
        (po.Norm(C=[[1.0, np.nan]]), "NaN"),
        (po.PiecewiseLinear(of=["x", "y"], slopes=[1.0]), "one variable"),
        (po.NormLimit(C="x"), "list of cost terms"),
    ],
)
def test_messages_say_what_is_wrong(made: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        po.ConvexProgram(costs=[made], G=[[1.0, 1.0]], d=[1.0], names=["x", "y"])


@pytest.mark.parametrize(
    "costs",
    [
        [po.Norm(C="x", name="a"), po.Norm(C="y", name="a")],
        [po.Norm(C="x", name="y")],
        [po.PiecewiseLinear(of="x", slopes=[1.0], name="x")],
        [po.Exponential(C="x", name="a"), po.Logarithm(C="x", name="a")],
        [po.Norm(C="x", name="norm[1]"), po.Norm(C="y")],
    ],
)
def test_names_stand_for_one_thing(costs: Any) -> None:
    with pytest.raises(InputError, match="more than one"):
        po.ConvexProgram(costs=costs, G=[[1.0, 1.0]], d=[1.0], names=["x", "y"])
