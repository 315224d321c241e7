"""Run the cells that are not in the file yet, network by network, then print the table."""

from __future__ import annotations

import argparse
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from benchmarks.feasibility.cell import BOUNDED, LAWS, POINTS, SUMS, Cell
from benchmarks.feasibility.deciding import EDGE, decided
from benchmarks.feasibility.leaving import left
from benchmarks.feasibility.random_programs import CONDITIONS, PROGRAMS, RANDOM, both
from benchmarks.feasibility.table import table
from benchmarks.headline.journal import Key, Row, add, read
from benchmarks.headline.subject import Conditions, Subject, drawn
from privopt.solving.threads import one_thread

SIX = ("3_lmbd", "5_pjm", "14_ieee", "39_epri", "57_ieee", "118_ieee")
_LEAVING = 2  # instances of which 10^5 measurements a cell are simulated
_SMALL = ("3_lmbd", "5_pjm", "14_ieee", "39_epri")  # 10^3 decisions, and 10^2 on the others


def instances(network: str) -> int:
    """Instances of a network."""
    if network == RANDOM:
        return PROGRAMS
    return 8 if network in _SMALL else 2


def conditions(network: str) -> Conditions:
    """Those of the headline; draws are the measurements of a cell that lead to decisions."""
    return Conditions(draws=7 if network in _SMALL else 3)


def cells(seed: int) -> Iterator[Cell]:
    """The cells of an instance, quick ones first."""
    for point in POINTS:
        for sums in SUMS:
            if seed < _LEAVING:
                for law in LAWS:
                    yield Cell("leaving", point, sums, law)
            yield Cell(EDGE, point, sums, "laplace")
            yield Cell("deciding", point, sums, BOUNDED)
            yield Cell("deciding", point, sums, "laplace")


def work(one: Subject, cell: Cell) -> Row:
    """The counts of a cell."""
    if cell.work == "leaving":
        return left(one, cell)
    draws = one.conditions.draws
    if cell.work == EDGE:
        return decided(one, cell, 1)
    return decided(one, cell, draws // 3 if cell.law == BOUNDED else draws)


def main() -> None:
    """The command line."""
    given = _parser().parse_args()
    every: list[Row] = []
    for network in given.networks:
        asked = CONDITIONS if network == RANDOM else conditions(network)
        rows = read(given.out, asked)
        for seed in range(given.instances or instances(network)) if not given.table else ():
            for row in _missing(network, seed, given.limit, rows):
                complete: Row = {
                    "network": network, "seed": seed, "conditions": asdict(asked), **row,
                }  # fmt: skip
                add(given.out, complete)
                rows[network, seed, row["mechanism"]] = complete
                failed = row["outside"] if row["work"] == "leaving" else row["failed"]
                print(f"{network} {seed} {row['mechanism']}: {failed} of {row['samples']}, "
                      f"{row['seconds']:.2f} s", flush=True)  # fmt: skip
        every += [row for row in rows.values() if row["network"] == network]
    print(table(every))


def _missing(network: str, seed: int, limit: float, known: dict[Key, Row]) -> Iterator[Row]:
    """The rows of an instance that are not in the journal, made one by one."""
    if network == RANDOM:
        last = [row for key, row in known.items() if key[:2] == (network, seed)][-1:]
        if not any(row["point"] == "inside" and row["work"] == "deciding" for row in last):
            yield from _timed(f"{network} {seed}", both(seed))
        return
    rest = [one for one in cells(seed) if (network, seed, one.name) not in known]
    if rest:
        one = drawn(network, seed, conditions(network), limit)
        for cell in rest:
            yield from _timed(f"{network} {seed} {cell.name}", _worked(one, cell))


def _worked(one: Subject, cell: Cell) -> Iterator[Row]:
    yield asdict(cell) | work(one, cell)


def _timed(name: str, rows: Iterator[Row]) -> Iterator[Row]:
    """The rows with their seconds; an error is printed, and tried again in the next run."""
    while True:
        started = time.perf_counter()
        try:
            with one_thread():
                row = next(rows)
        except StopIteration:
            return
        except Exception:
            print(f"{name}:\n{traceback.format_exc()}", flush=True)
            return
        named = Cell(row["work"], row["point"], row["sums"], row["law"]).name
        yield row | {"mechanism": named, "seconds": time.perf_counter() - started}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="benchmarks.feasibility", description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )  # fmt: skip
    parser.add_argument("networks", nargs="*", default=list(SIX), help="PGLib names, or random")
    parser.add_argument("--instances", type=int, default=0, help="0: 8, 2 of large networks")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds of one decision")
    parser.add_argument("--table", action="store_true", help="run nothing, print the table")
    parser.add_argument("--out", type=Path, default=Path("feasibility.jsonl"), help="the journal")
    return parser


if __name__ == "__main__":
    main()
