"""The certified map against brute force in fractions, and the attacks that broke certificates.

`brute` shares nothing with the library: it tries every set of rows, in fractions, until one has
multipliers and slacks that are not negative.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.assess.programs import shares, steep

import privopt as po
from privopt.claims.guarantee import Provenance
from privopt.errors import PrivoptError

KEPT = po.ExactBox(eta=0.1)


def fractions(values: Any) -> list[Any]:
    return [fractions(v) if isinstance(v, list) else Fraction(v) for v in values]


def eliminate(H: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Gauss and Jordan, in fractions."""
    table = [[*row, r] for row, r in zip(H, right, strict=True)]
    for i in range(len(table)):
        pivot = next(k for k in range(i, len(table)) if table[k][i])
        table[i], table[pivot] = table[pivot], table[i]
        table[i] = [v / table[i][i] for v in table[i]]
        for k in range(len(table)):
            if k != i and table[k][i]:
                table[k] = [a - table[k][i] * b for a, b in zip(table[k], table[i], strict=True)]
    return [row[-1] for row in table]


class Brute:
    """The map of a certificate, by trying every set of rows."""

    def __init__(self, certificate: Any) -> None:
        numbers = certificate.map
        self.H, self.q, self.Q = (fractions(x.tolist()) for x in (numbers.H, numbers.q, numbers.Q))
        self.offset, self.along, self.through = (
            fractions(x.tolist()) for x in (numbers.offset, numbers.along, numbers.through)
        )
        self.ends = list(
            zip(*(fractions(x.tolist()) for x in (numbers.lower, numbers.upper)), strict=True)
        )
        sets = range(len(self.q) + 1)
        self.sets = [k for n in sets for k in itertools.combinations(range(len(self.q)), n)]

    def rows(self, d: list[Fraction]) -> tuple[tuple[int, ...], list[Fraction], list[Fraction]]:
        step = [min(max(v, a), b) - (a + b) / 2 for v, (a, b) in zip(d, self.ends, strict=True)]
        r = [
            q + sum(a * t for a, t in zip(Q, step, strict=True))
            for q, Q in zip(self.q, self.Q, strict=True)
        ]
        for n, k in enumerate(self.sets):
            found = eliminate([[self.H[i][j] for j in k] for i in k], [-r[i] for i in k])
            if min(found, default=Fraction(0)) < 0:
                continue
            slack = [
                r[i] + sum(self.H[i][j] * v for j, v in zip(k, found, strict=True))
                for i in range(len(r))
                if i not in k
            ]
            if min(slack, default=Fraction(0)) >= 0:
                self.sets.insert(0, self.sets.pop(n))  # the next one may be the same
                return k, found, step
        raise AssertionError("no set of rows is right: the matrix is not positive definite")

    def z(self, d: list[Fraction]) -> list[Fraction]:
        k, found, step = self.rows(d)
        return [
            o
            + sum(a * t for a, t in zip(along, step, strict=True))
            + sum(through[j] * v for j, v in zip(k, found, strict=True))
            for o, along, through in zip(self.offset, self.along, self.through, strict=True)
        ]


def certified(program: po.ConvexProgram, query: Any, noise: Any, domain: po.Box) -> tuple[Any, Any]:
    found = po.assess.certify(program, query, noise, KEPT, domain=domain)
    return found, dataclasses.replace(noise, sensitivity=found)


def value(plan: po.Plan) -> Any:
    return np.asarray(plan.S @ plan.expected)


STEEP = [0, 11, 25, 43, *(pytest.param(s, marks=pytest.mark.slow) for s in (1, 18, 21, 36, 48, 51))]


@pytest.mark.long
@pytest.mark.parametrize("seed", STEEP)
def test_the_map_its_cover_and_its_factor_against_brute_force(seed: int) -> None:
    """Rows at angles from 1e-9 to 1e-1; neighbours at random, at corners and across borders."""
    program, size = steep(seed)
    plain = po.Laplace(epsilon=20.0, alpha=0.02 * size)
    query, domain = po.Identity([0]), po.Box(-0.5 * size, 0.5 * size)
    found, noise = certified(program, query, plain, domain)
    assert found.whole
    brute, m = Brute(found), len(program.private)
    plan = po.solve(program.at(np.zeros(m)), query, noise, KEPT)
    Delta = Fraction(plan.calibration.sensitivity)
    cell = Fraction(2) ** found.exponent
    rng = np.random.default_rng(seed)
    alpha = Fraction(plain.one_alpha)

    def check(d: Any, j: int) -> None:
        ends = [fractions(d.tolist()), fractions(d.tolist())]
        ends[1][j] += alpha
        y = [brute.z(end)[0] for end in ends]
        steps = [math.floor(v / cell + Fraction(1, 2)) * cell for v in y]
        assert abs(steps[0] - steps[1]) <= Delta
        assert plan_at(d).exact == [float(steps[0])]

    def plan_at(d: Any) -> Any:
        return po.solve(program.at(d), query, noise, KEPT)

    for n in range(12):
        d = size * (rng.uniform(-0.5, 0.5, m) if n % 3 else rng.choice([-0.5, 0.5], m))
        j = int(rng.integers(m))
        check(d, j)
        # Where the rows that bind change between d and a point further on: on both sides.
        low, high = d.copy(), size * rng.uniform(-0.5, 0.5, m)
        start = brute.rows(fractions(low.tolist()))[0]
        for _ in range(30):
            middle = 0.5 * (low + high)
            if brute.rows(fractions(middle.tolist()))[0] == start:
                low = middle
            else:
                high = middle
        check(low, j)
        check(high - plain.alpha * np.eye(m)[j], j)


def test_an_answer_comes_on_borders_at_corners_and_outside_of_the_domain() -> None:
    """x + y = d, 1 <= x <= 2: borders at about d = 2 and 4; what lies outside is clamped."""
    program, query = shares(1), po.Identity([1])
    found, noise = certified(program, query, po.Laplace(epsilon=50.0, alpha=0.1), po.Box(0.0, 6.0))
    assert found.provenance is Provenance.PROVEN
    brute = Brute(found)
    low, high = 0.0, 3.0  # the border itself, to the last bit
    while low < (middle := 0.5 * (low + high)) < high:
        same = brute.rows([Fraction(middle)])[0] == brute.rows([Fraction(0)])[0]
        low, high = (middle, high) if same else (low, middle)
    for d in (low, high, 0.0, 6.0, -0.0, 5e-324, 1e-300, math.nextafter(6.0, 0.0)):
        plan = po.solve(program.at([d]), query, noise, KEPT)
        assert plan.exact == pytest.approx([float(brute.z([Fraction(d)])[1])], rel=1e-15)
    ends = {end: value(po.solve(program.at([end]), query, noise, KEPT)) for end in (0.0, 6.0)}
    for d, end in [(-1.0, 0.0), (-1e300, 0.0), (6.1, 6.0), (1.7e308, 6.0)]:
        assert value(po.solve(program.at([d]), query, noise, KEPT)) == ends[end]


def big_m(M: float, R: float, shift: float) -> po.ConvexProgram:
    """B = min(0, C' - d) is released; a >= R and M a + b + w <= ... are nearly parallel."""
    return po.ConvexProgram(
        quadratic=[2e-3, 1.0, 0.0], A=[[M, 1, 1], [1, 1, 0]], b=[M * R + 5 + shift, 1000],
        lower=[R, -np.inf, -np.inf], G=[[0, 0, 1.0]], data_names=["w"],
    )  # fmt: skip


def wedge(angle: float, R: float) -> po.ConvexProgram:
    """Two rows at a small angle far from the origin; b moves by 1 / angle where both bind."""
    c, s = np.cos(angle), np.sin(angle)
    return po.ConvexProgram(
        quadratic=[1.0, 1.0, 1e-3], A=[[-1, 0, 0], [c, s, 1]], b=[-R, c * R], G=[[0, 0, 1.0]],
        data_names=["w"],
    )  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(
    ("program", "query", "alpha", "ends"),
    [
        (wedge(1e-4, 5e4), po.Linear([[0, 1.0, 0]]), 1e-8, (-0.5, 1.5)),
        (wedge(1e-2, 5e2), po.Linear([[0, 1.0, 0]]), 1e-3, (-0.5, 1.5)),
        (big_m(1e6, 1e-2, 2.1), po.Identity([1]), 1e-5, (4.9, 5.3)),
        (big_m(1e4, 1e-2, 0.05), po.Identity([1]), 1e-5, (4.0, 6.0)),
        (big_m(1e2, 1e-2, 0.0), po.Identity([1]), 1e-4, (4.0, 6.0)),
    ],
)
def test_nearly_parallel_rows_keep_neighbours_within_the_sensitivity(
    program: po.ConvexProgram, query: Any, alpha: float, ends: tuple[float, float]
) -> None:
    """The computed map jumped by up to 50 Delta where a row was left out by a tolerance."""
    found, noise = certified(program, query, po.Laplace(epsilon=1.0, alpha=alpha), po.Box(*ends))
    assert found.whole or program.A.max() > 1e3  # rows at less than 1e-5 give way
    if not found.whole:
        assert found.provenance is Provenance.ASSUMED
        return

    def y(d: float) -> float:
        return float(value(po.solve(program.at([d]), query, noise, KEPT))[0])

    Delta = po.solve(program.at([ends[0]]), query, noise, KEPT).calibration.sensitivity
    start, (low, high) = y(ends[0]), ends
    slope = (y(ends[0] + alpha) - start) / alpha
    while high - low > 0.5 * alpha:  # where the map leaves its first piece
        middle = 0.5 * (low + high)
        expected = start + slope * (middle - ends[0])
        close = abs(y(middle) - expected) < 1e-3 * Delta + 1e-6 * abs(slope) * (middle - ends[0])
        low, high = (middle, high) if close else (low, middle)
    for d in (low, low - 0.5 * alpha, low - alpha, high, *np.linspace(*ends, 7)):
        moved = abs(y(d + alpha) - y(d))
        assert moved <= Delta * (1 + 1e-6) + 1e-12 * abs(y(d))


@pytest.mark.long
@pytest.mark.parametrize("seed", [3, 12, 32])
def test_whole_is_not_said_where_rows_cannot_be_kept(seed: int) -> None:
    program, size = steep(seed)
    noise, domain = po.Laplace(epsilon=20.0, alpha=0.02 * size), po.Box(-0.5 * size, 0.5 * size)
    found, noise = certified(program, po.Identity([0]), noise, domain)
    assert not found.whole
    assert found.provenance is Provenance.ASSUMED
    assert any("refused" in text for text in found.assumptions(unique=True))


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 7, 13, 21, 31])
def test_a_whole_certificate_refuses_nothing_and_keeps_every_margin(seed: int) -> None:
    program, size = steep(seed)
    plain = po.Laplace(epsilon=20.0, alpha=0.02 * size)
    found, noise = certified(program, po.Identity([0]), plain, po.Box(-0.5 * size, 0.5 * size))
    assert found.whole
    rng, m = np.random.default_rng(seed), len(program.private)
    for n in range(40):
        d = size * (rng.uniform(-0.5, 0.5, m) if n % 2 else rng.choice([-0.5, 0.5], m))
        plan = po.solve(program.at(d), po.Identity([0]), noise, KEPT)
        assert plan.residual <= 1e-9
        assert np.asarray(program.G @ plan.expected) == pytest.approx(d, abs=1e-9 * size)


def test_nothing_is_solved_before_an_answer_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the program itself can be solved at d would tell neighbours apart."""
    found, noise = certified(
        shares(1), po.Identity([1]), po.Laplace(epsilon=50.0, alpha=0.1), po.Box(0.0, 6.0)
    )

    def refuse(*_: Any, **__: Any) -> None:
        raise PrivoptError("refused", "", "")

    monkeypatch.setattr(po.ConvexProgram, "solve", refuse)
    plan = po.solve(shares(1).at([3.0]), po.Identity([1]), noise, KEPT)
    assert found.whole
    assert plan.release().epsilon <= 50.0
    monkeypatch.undo()
    assert plan.optimum.z == pytest.approx([1.5, 1.5])
