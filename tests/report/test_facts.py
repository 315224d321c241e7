"""The headline: what is proven and reproduced, and no more than the files say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.report.example import first
from tests.report.plots.reading import SVG, drawn, of_class, texts

from privopt.report.compare import Comparison, Line, compare
from privopt.report.facts import facts, misses, unsolved
from privopt.report.folder import Folder, read
from privopt.report.plots.proofs import proofs
from privopt.report.records import Mean


def test_the_headline_names_the_worst_epsilon(folder: Path) -> None:
    first_of_all = facts(read(folder), {})[0]
    assert first_of_all.value == "≥ 1.90"
    assert "demand[14] moved by 0.1" in first_of_all.text


def test_without_a_search_or_an_answer_nothing_is_claimed(folder: Path) -> None:
    whole = read(folder)
    assert whole.privacy is not None
    rows = tuple(row for row in whole.privacy.rows if row.algorithm == "measured")[2:]
    alone: Folder = replace(whole, table1=None, table2=None, figure2=None,
                            privacy=replace(whole.privacy, rows=rows))  # fmt: skip
    assert facts(alone, {}) == ()
    (row,) = of_class(drawn(proofs(replace(whole.privacy, rows=rows))), "proof")
    assert row.find(f".//{SVG}rect") is None  # no bar
    assert texts(row)[-1] == "14 infeasible, 6 failed"


def test_runs_without_a_solution_are_counted_by_case_method_and_end(found: Folder) -> None:
    table = first(found)
    assert "118_ieee PIQ-s, 3 infeasible" in unsolved(table)
    solved = tuple(run for run in table.runs if run.status == "solved")
    assert unsolved(replace(table, runs=solved)) == ()
    failed = replace(table.runs[0], status="failed")
    assert unsolved(replace(table, runs=(failed, failed))) == (
        f"{failed.case} {failed.algorithm}, 2 failed",
    )


def test_the_count_of_reproduced_means_is_that_of_the_table(found: Folder) -> None:
    lines = compare("table1", first(found))
    printed = [item for line in lines for item in (line.violation, line.loss) if item.counted]
    alone = replace(found, privacy=None, table2=None, figure2=None)
    headline, worst, *_ = facts(alone, {"Table 1": lines})
    missed = misses(lines)
    assert headline.value == f"{len(printed) - len(missed)} of {len(printed)}"
    naive = [row.violation for row in first(found).rows if row.algorithm == "OP"]
    assert worst.value == f"{max(mean.mean for mean in naive if mean):.2f} %"


def test_misses_begin_with_the_farthest_and_end_with_those_without_a_value(found: Folder) -> None:
    row = first(found).rows[0]
    printed = Mean(10.0, 1.0, 100)

    def line(mean: float | None) -> Line:
        item = Comparison(printed, None if mean is None else Mean(mean, 1.0, 100))
        return Line(row, item, Comparison(None, printed))

    found_ = misses([line(None), line(11.0), line(10.0), line(5.0)])
    assert [miss.comparison.found and miss.comparison.found.mean for miss in found_] == [
        5.0, 11.0, None,
    ]  # fmt: skip
    assert {miss.what for miss in found_} == {"violation"}
