"""The price of what is chosen last: closed forms, one cone program, slopes, and no price at all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import privopt as po
from privopt.solving.price import Price
from privopt.solving.pricing import Pricing

NAMES = ["a", "b", "c"]
Value = Callable[[np.ndarray], float]
TERMS: list[tuple[object, Value]] = [
    (
        po.PiecewiseLinear(of="a", slopes=[0, 2, 6], offsets=[0, -1, -8]),
        lambda z: max(0.0, 2 * z[0] - 1, 6 * z[0] - 8),
    ),
    (po.Norm(C=["a", "b"], weight=2.0), lambda z: 2 * float(np.hypot(z[0], z[1]))),
    (po.Norm(C=NAMES), lambda z: float(np.linalg.norm(z))),
    (po.Power(C=NAMES, power=2.5), lambda z: float((np.abs(z) ** 2.5).sum())),
    (po.Exponential(C=NAMES), lambda z: float(np.exp(z).sum())),
    (po.Logarithm(C=NAMES), lambda z: -float(np.log(z).sum())),
    (po.Entropy(C=NAMES), lambda z: float((z * np.log(z)).sum())),
]


def _price(*terms: object) -> tuple[po.ConvexProgram, Price]:
    program = po.ConvexProgram(costs=terms, G=[[1, 1, 1]], names=NAMES)  # pyright: ignore[reportArgumentType]
    return program, Price(program, np.flatnonzero(Pricing.of(program).variables))


@pytest.mark.parametrize(("term", "value"), TERMS)
def test_the_price_and_its_slope(term: object, value: Value) -> None:
    program, price = _price(term)
    z = np.zeros((30, program.n))
    z[:, :3] = np.random.default_rng(1).uniform(0.2, 3, (30, 3))
    found = price.at(z)
    assert np.allclose(found.values, [value(row[:3]) for row in z], atol=1e-7)
    slope = np.zeros((30, program.n))
    for used, part in found.parts:
        slope[:, used] += part
    h = 1e-6
    for j in range(3):
        step = h * np.eye(3)[j]
        difference = [(value(row[:3] + step) - value(row[:3] - step)) / (2 * h) for row in z]
        assert np.allclose(slope[:, j], difference, atol=2e-4)


def test_terms_add_up_and_the_best_heights_are_those_of_the_optimum() -> None:
    terms = [term for term, _ in TERMS]
    program, price = _price(*terms)
    z = np.zeros((4, program.n))
    z[:, :3] = np.random.default_rng(2).uniform(0.5, 2, (4, 3))
    found = price.at(z)
    assert np.allclose(found.values, [sum(f(row[:3]) for _, f in TERMS) for row in z], atol=1e-6)
    z[:, price.t] = found.t
    assert np.allclose([program.cost(row) for row in z], found.values, atol=1e-6)


def test_a_solution_without_a_price_is_infinite_and_the_others_are_not() -> None:
    program, price = _price(po.Logarithm(C=["a"]), po.Norm(C=NAMES))
    z = np.zeros((5, program.n))
    z[:, :3] = 1.0
    z[2, 0] = -1.0
    assert np.isinf(price.at(z).values).tolist() == [False, False, True, False, False]


def test_pieces_are_the_parts_that_are_the_highest_of_affine_functions() -> None:
    """Of a term in rows alone; without them, the price is that of the others."""
    both = po.PiecewiseLinear(
        slopes=[[1, 0, 2], [0, -1, 0], [0, 0, 0]], offsets=[0, 3, 1], weight=2
    )
    program, price = _price(both, po.Exponential(C=["b"]), po.Norm(C=["a", "c"]))
    assert list(price.pieces) == [0]
    pieces = price.pieces[0]
    z = np.zeros((20, program.n))
    z[:, :3] = np.random.default_rng(3).normal(size=(20, 3))
    z[:, 3:] = 7.0  # heights are not looked at
    own = pieces.weight * (np.asarray(pieces.A @ z.T).T - pieces.b).max(axis=1)
    wanted = 2 * np.max([z[:, 0] + 2 * z[:, 2], 3 - z[:, 1], 1 + 0 * z[:, 0]], axis=0)
    assert np.allclose(own, wanted, atol=1e-14)
    assert np.allclose(price.at(z, but=[0]).values + own, price.at(z).values, atol=1e-12)
    others = np.exp(z[:, 1]) + np.hypot(z[:, 0], z[:, 2])
    assert np.allclose(price.at(z, but=[0]).values, others, atol=1e-12)


def test_a_height_with_a_quadratic_price_is_no_piece() -> None:
    program = po.ConvexProgram(
        quadratic=[0, 1], A=[[1, -1], [-1, -1]], b=[0, 0], G=[[1, 0]], d=[1],
        names=["a", "t"], auxiliary=["t"],
    )  # fmt: skip
    price = Price(program, np.array([1]))
    assert not price.pieces
    assert price.at(np.array([[-3.0, 0.0]])).values == pytest.approx([9.0])
