"""The paper's instance, re-computed line by line from the case file."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from matpowercaseframes import CaseFrames

import privopt as po
from privopt.errors import InputError
from privopt.experiments.instance import release_set
from privopt.networks.locate import find


@pytest.mark.filterwarnings("ignore")  # matpowercaseframes uses what pandas deprecates
@pytest.mark.parametrize("name", ["3_lmbd", "14_ieee", "57_ieee", "118_ieee"])
def test_the_program_is_the_papers(name: str) -> None:
    drawn = po.experiments.instance(name, 7)
    case: Any = CaseFrames(str(find(name)))
    numbers = [int(k) for k in case.bus["BUS_I"]]
    n, rng = len(numbers), np.random.default_rng(7)
    c1, c2, d = rng.uniform(1, 3, n), rng.uniform(0.1, 0.3, n), rng.uniform(0.5, 1, n)
    program = drawn.program
    np.testing.assert_array_equal(program.linear, [*c1, *np.zeros(n)])
    np.testing.assert_array_equal(program.quadratic.diagonal(), [*c2, *np.zeros(n)])
    np.testing.assert_array_equal(program.d, d)
    B = np.zeros((n, n))
    limits: dict[tuple[int, int], list[float]] = {}
    for row in case.branch.to_dict("records"):
        i, j = (numbers.index(int(row[end])) for end in ("F_BUS", "T_BUS"))
        beta = -(1 / complex(row["BR_R"], row["BR_X"])).imag
        B[i, i] += beta
        B[j, j] += beta
        B[i, j] -= beta
        B[j, i] -= beta
        line = limits.setdefault((min(i, j), max(i, j)), [0.0, 0.0])
        line[0] += beta
        line[1] += row["RATE_A"] / case.baseMVA
    np.testing.assert_allclose(program.G.toarray(), np.hstack([np.eye(n), -B]), atol=1e-9)
    assert program.A.shape[0] == 2 * len(limits)
    dense = [tuple(np.round(row, 6)) for row in program.A.toarray()]
    rows = dict(zip(dense, program.b, strict=True))
    for (i, j), (beta, rate) in limits.items():
        row = np.zeros(2 * n)
        row[n + i], row[n + j] = beta, -beta
        assert rows[tuple(np.round(row, 6))] == pytest.approx(rate)
        assert rows[tuple(np.round(-row, 6))] == pytest.approx(rate)
    assert (program.lower[:n] == 0).all()
    assert (program.upper[: n - 1] == 3).all()
    assert program.upper[n - 1] == 0
    assert program.lower[-1] == program.upper[-1] == 0
    assert np.isinf(program.upper[n:-1]).all()
    assert drawn.domain.ends(2)[0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 14, 118])
def test_the_release_set_follows_the_authors_rule(n: int) -> None:
    for seed in range(50):
        ours = release_set(np.random.default_rng(seed), n)
        drawn = np.random.default_rng(seed).integers(0, n, max(1, int(1.1 * 0.3 * n)))
        expected: list[int] = []
        for node in drawn:  # unique in draw order, the last node is the reference
            if node != n - 1 and node not in expected:
                expected.append(int(node))
        expected = (expected or [0])[: max(1, math.floor(0.3 * n))]
        assert list(ours) == expected


def test_the_names_and_the_query_agree() -> None:
    drawn = po.experiments.instance("39_epri", 3)
    numbers = [f"p[{drawn.grid.number[k]}]" for k in drawn.released]
    assert list(drawn.query.names(drawn.program)) == numbers


@pytest.mark.parametrize(
    ("released", "count", "sizes"),
    [
        (33, 9, [3] * 10),  # eleven of three, the surplus one dropped: still ten
        (35, 9, [3] * 11),
        (27, 9, [3] * 9),
        (33, 6, [5] * 6),
        (34, 3, [11] * 3),
        (34, 1, [34]),
        (7, 3, [2, 2, 2]),
        (9, 9, [1] * 9),
    ],
)
def test_clusters_are_cut_the_authors_way(released: int, count: int, sizes: list[int]) -> None:
    drawn = po.experiments.instance("118_ieee", 0)
    object.__setattr__(drawn, "released", tuple(range(released)))
    groups = drawn.sums(count).groups
    assert [len(group) for group in groups] == sizes
    assert [k for group in groups for k in group] == list(range(sum(sizes)))


def test_more_sums_than_nodes_are_refused() -> None:
    with pytest.raises(InputError, match="fewer sums"):
        po.experiments.instance("14_ieee", 0).sums(9)


def test_a_linear_cost_and_its_range() -> None:
    drawn = po.experiments.instance("118_ieee", 0, linear=(1, 50), quadratic=None)
    assert drawn.program.quadratic.nnz == 0
    assert 40 < drawn.program.linear.max() <= 50


def test_the_same_seed_is_the_same_instance() -> None:
    first, second = (po.experiments.instance("14_ieee", 5) for _ in range(2))
    np.testing.assert_array_equal(first.program.d, second.program.d)
    assert first.released == second.released
    network = po.networks.load("14_ieee")
    assert po.experiments.instance(network, 5).released == first.released
