"""Table 2 as a study: sums over clusters of the released nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

import privopt as po
from privopt.errors import InputError
from privopt.experiments import Table2, run
from privopt.experiments.study import streams


@pytest.mark.long
def test_sums_and_the_authors_stronger_rule(tmp_path: Path) -> None:
    two = run(Table2(networks=("39_epri",), sums=(1, 3), runs=2, samples=200), tmp_path)
    assert [row["sums"] for row in two.summary] == [1] * 6 + [3] * 6
    strict = run(
        Table2(networks=("39_epri",), sums=(3,), runs=2, samples=50, separate=True,
               algorithms=("PSQ-a",)),
        tmp_path / "strict",
    )  # fmt: skip
    loose = next(r for r in two.summary if r["sums"] == 3 and r["algorithm"] == "PSQ-a")
    assert strict.summary[0]["loss_mean"] >= loose["loss_mean"] - 1e-7


def test_every_count_of_sums_has_every_algorithm_on_the_same_instance() -> None:
    study = Table2(networks=("39_epri",), sums=(1, 3), runs=2, algorithms=("OP", "PSQ-a"))
    units = study.units()
    assert [(u.run, u.parameters[0][1], u.algorithm) for u in units] == [
        (run, count, name) for run in (0, 1) for count in (1, 3) for name in ("OP", "PSQ-a")
    ]
    assert len({unit.key for unit in units}) == len(units)
    assert len({study.together(unit) for unit in units}) == 2


def test_a_unit_is_the_plan_of_its_sums() -> None:
    """Against `solve` itself, on the same instance."""
    study = Table2(networks=("39_epri",), sums=(3,), runs=1, samples=50, algorithms=("PSQ-a",))
    row = study.work(study.units()[0])
    first, second, _ = streams(0, "39_epri", 0)
    drawn = po.experiments.instance("39_epri", first)
    plan = po.solve(
        drawn.program, drawn.sums(3), po.Laplace(epsilon=1.0, alpha=0.5),
        po.Analytic(eta=0.025, margin="unimodal"), rng=second,
    )  # fmt: skip
    assert row["loss"] == pytest.approx(100 * plan.loss, abs=1e-9)
    assert row["released"] == drawn.sums(3).matrix(drawn.program).shape[0]


def test_more_sums_than_nodes_are_refused() -> None:
    with pytest.raises(InputError, match="fewer sums"):
        Table2(networks=("14_ieee",)).units()
