"""Printed against reproduced: the score, and what counts as reproduced."""

from __future__ import annotations

import math
from typing import Any

import pytest

from privopt.report.compare import Comparison, compare, printed_size, score
from privopt.report.facts import misses
from privopt.report.folder import ResultTable
from privopt.report.format import mark, signed, verdict
from privopt.report.records import Mean, TableRow


def row(**changes: Any) -> TableRow:
    data: dict[str, Any] = {
        "network": "14_ieee",
        "algorithm": "PIQ-a",
        "violation_mean": 1.48,
        "violation_std": 0.78,
        "affine_violation_mean": 2.0,
        "loss_mean": 1.55,
        "loss_std": 1.33,
        "runs": 100,
        "infeasible_runs": 0,
    }
    return TableRow.read(data | changes)


def table(*rows: TableRow) -> ResultTable:
    return ResultTable(rows, {"eta": 0.025}, ())


@pytest.mark.parametrize(
    ("printed", "found", "z"),
    [
        # (4 - 1) / sqrt(3^2 / 100 + 4^2 / 100) = 3 / 0.5
        (Mean(1.0, 3.0, 100), Mean(4.0, 4.0, 100), 6.0),
        # (1 - 2) / sqrt(0 + 3^2 / 36) = -1 / 0.5: only our runs vary, and there are 36 of them
        (Mean(2.0, 0.0, 100), Mean(1.0, 3.0, 36), -2.0),
        (Mean(0.0, 0.0, 100), Mean(0.0, 0.0, 100), 0.0),
        (Mean(0.0, 0.0, 100), Mean(0.5, 0.0, 100), math.inf),
        (Mean(0.5, 0.0, 100), Mean(0.0, 0.0, 100), -math.inf),
        (Mean(0.5, None, 100), Mean(0.0, 1.0, 100), None),
    ],
)
def test_score_by_hand(printed: Mean, found: Mean, z: float | None) -> None:
    assert score(printed, found) == (None if z is None else pytest.approx(z))


def test_three_standard_errors_are_within_and_more_is_not() -> None:
    printed = Mean(10.0, 0.0, 100)
    at = Comparison(printed, Mean(13.0, 10.0, 100))  # z = 3 / 1
    beyond = Comparison(printed, Mean(13.01, 10.0, 100))
    assert (at.z, at.within, mark(at)) == (3.0, True, "within")
    assert (beyond.within, mark(beyond)) == (False, "beyond")
    assert mark(Comparison(printed, Mean(17.0, 10.0, 100))) == "far"
    assert verdict(beyond) == "above the printed mean"


def test_equal_to_the_printed_decimals_is_within_however_small_the_error() -> None:
    printed = Mean(0.0, 0.0, 100)
    close = Comparison(printed, Mean(0.004, 0.001, 100))
    assert close.z == pytest.approx(40)
    assert close.within
    assert "printed decimals" in verdict(close)
    assert not Comparison(printed, Mean(0.006, 0.001, 100)).within


def test_infeasible_runs_do_not_count_as_runs() -> None:
    (line,) = compare("table1", table(row(runs=100, infeasible_runs=84, violation_mean=2.0)))
    assert line.violation.found == Mean(2.0, 0.78, 16)
    expected = (2.0 - 1.48) / math.sqrt(0.78**2 / 100 + 0.78**2 / 16)
    assert line.violation.z == pytest.approx(expected)


def test_printed_numbers_are_found_by_network_sums_and_algorithm() -> None:
    (line,) = compare("table2", table(row(network="118_ieee", sums=9, algorithm="PSQ-s")))
    assert line.violation.printed == Mean(1.0, 0.92, 100)
    assert line.loss.printed == Mean(13.35, 7.31, 100)
    assert printed_size("118_ieee") == (236, 728)


@pytest.mark.parametrize(
    "changes", [{"network": "elsewhere"}, {"algorithm": "joint factor"}, {"sums": 3}]
)
def test_what_the_paper_does_not_print_is_not_counted(changes: dict[str, Any]) -> None:
    (line,) = compare("table1", table(row(**changes)))
    assert not line.violation.counted
    assert mark(line.violation) == "none"
    assert misses([line]) == ()


def test_a_printed_mean_without_a_reproduced_one_is_a_miss() -> None:
    nothing = {"violation_mean": None, "violation_std": None, "loss_mean": float("nan")}
    lines = compare("table1", table(row(**nothing, runs=9, infeasible_runs=9)))
    assert [miss.what for miss in misses(lines)] == ["violation", "loss"]
    assert mark(lines[0].violation) == "absent"


def test_misses_begin_with_the_farthest() -> None:
    near = row(violation_mean=1.9)
    far = row(network="3_lmbd", violation_mean=50.0, loss_mean=3.42, loss_std=3.55)
    found = misses(compare("table1", table(near, far)))
    assert [miss.case for miss in found] == ["3_lmbd", "14_ieee"]


@pytest.mark.parametrize(
    ("z", "text"),
    [
        (2.04, "+2.0"),
        (-2.06, "−2.1"),
        (0.01, "0.0"),
        (-math.inf, "−∞"),
        (None, ""),
        (345.6, "+346"),
    ],
)
def test_scores_are_written_with_a_sign(z: float | None, text: str) -> None:
    assert signed(z) == text


def test_few_runs_borrow_the_printed_deviation() -> None:
    """Two runs that happen to agree are no evidence against the printed mean."""
    printed = Mean(29.7, 25.0, 100)
    assert score(printed, Mean(10.0, 0.0, 1)) == pytest.approx(-19.7 / (25 * 1.01**0.5))
    assert score(printed, Mean(10.0, None, 1)) == score(printed, Mean(10.0, 0.0, 1))
    few, many = score(printed, Mean(35.0, 0.1, 29)), score(printed, Mean(35.0, 0.1, 30))
    assert few is not None
    assert many is not None
    assert few < 1.1 < 2.0 < many


def test_a_mean_over_less_than_half_of_the_runs_is_not_reproduced() -> None:
    same = Mean(5.0, 1.0, 40)
    assert Comparison(same, same).within
    assert not Comparison(same, same, enough=False).within
