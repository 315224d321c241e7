"""Progress: a bar in a terminal, a line now and then in a log, and a lost Ctrl-C is heard."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from tests.cli.test_interrupt import default, ended, swallowed

from privopt.cli.progress import live

__all__ = ["default"]


def logged(counts: list[tuple[int, int]]) -> list[str]:
    """The lines that a log gets."""
    file = io.StringIO()
    with live("table1", Console(file=file), "runs") as show:
        for done, total in counts:
            show(done, total)
    return file.getvalue().splitlines()


def test_a_log_gets_a_line_for_each_tenth() -> None:
    lines = logged([(done, 1000) for done in range(1001)])
    assert lines == [f"table1: {100 * k} of 1000 runs done" for k in range(11)]


@pytest.mark.parametrize(
    ("counts", "lines"),
    [
        ([(7, 10), (8, 10)], ["table1: 7 of 10 runs done", "table1: 8 of 10 runs done"]),
        ([(75, 100), (79, 100)], ["table1: 75 of 100 runs done"]),  # begun earlier
        ([(0, 0)], ["table1: 0 of 0 runs done"]),
    ],
)
def test_what_was_there_before_counts_as_done(
    counts: list[tuple[int, int]], lines: list[str]
) -> None:
    assert logged(counts) == lines


def test_one_that_a_library_swallows_is_heard_after_the_unit() -> None:
    done: list[int] = []

    def work() -> None:
        with live("work", Console(stderr=True)) as progress:
            for unit in range(10):
                if unit == 3:
                    swallowed()
                done.append(unit)
                progress(unit, 10)

    assert ended(work).exit_code == 130
    assert done == [0, 1, 2, 3]
