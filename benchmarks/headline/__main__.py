"""Run what is not in the file yet, instance by instance, then print the table."""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.headline.journal import add, read
from benchmarks.headline.mechanisms import MECHANISMS, known
from benchmarks.headline.subject import Conditions, drawn
from benchmarks.headline.table import headline
from benchmarks.headline.working import done

_UNFINISHED = ("failed", "time limit", "error")


def main() -> None:
    """The command line."""
    given = _parser().parse_args()
    names = [name.strip() for name in given.only.split(",")] if given.only else list(MECHANISMS)
    unknown = [name for name in names if not known(name)]
    if unknown:
        sys.exit(f"no mechanism: {', '.join(unknown)}. Some of: {', '.join(MECHANISMS)}, chosen, "
                 "or a candidate such as '4 zones'.")  # fmt: skip
    conditions = Conditions(draws=given.draws, epsilon=given.epsilon, eta=given.eta)
    if given.pglib:
        conditions = replace(conditions, source="pglib", alpha=None, width=given.width)
    rows = read(given.out, conditions)
    commit = _commit()
    if not given.table:
        for seed in range(given.first, given.first + given.instances):
            rest = [
                name
                for name in names
                if (row := rows.get((given.network, seed, name))) is None
                or (given.again and row["status"] in _UNFINISHED)
            ]
            if not rest:
                continue
            one = drawn(given.network, seed, conditions, given.limit)
            for name in rest:
                row = done(given.network, name, one) | {"commit": commit}
                add(given.out, row)
                rows[given.network, seed, name] = row
                told = "" if row["status"] == "done" else f" {row['status']}: {row['reason']}"
                print(f"{given.network} {seed} {name}: {row['seconds']:.2f} s{told}", flush=True)
    own = [row for row in rows.values() if row["network"] == given.network]
    if given.only:
        own = [row for row in own if row["mechanism"] in names] if given.table else own
    if own:
        print(headline(own, MECHANISMS))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="benchmarks.headline", description=__doc__,
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )  # fmt: skip
    parser.add_argument("network", help="PGLib name, such as 14_ieee")
    parser.add_argument("--instances", type=int, default=20, help="random instances")
    parser.add_argument("--first", type=int, default=0, help="seed of the first of them")
    parser.add_argument("--draws", type=int, default=6, help="draws of the noise for each")
    parser.add_argument("--only", default="", help="mechanisms, with commas between them")
    parser.add_argument("--pglib", action="store_true", help="the file's loads and generators")
    parser.add_argument("--width", type=float, default=0.05, help="of PGLib's domain, relative")
    parser.add_argument("--epsilon", type=float, default=1.0, help="privacy loss")
    parser.add_argument("--eta", type=float, default=0.025, help="chance that a promise leaves")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for each mechanism")
    parser.add_argument("--again", action="store_true", help="once more what did not finish")
    parser.add_argument("--table", action="store_true", help="run nothing, print the table")
    parser.add_argument("--out", type=Path, default=Path("headline.jsonl"), help="the journal")
    return parser


def _commit() -> str | None:
    """The commit that is run, where git tells it."""
    try:
        told = subprocess.run(
            ["git", "describe", "--always", "--dirty"],  # noqa: S607
            capture_output=True, text=True, check=True, cwd=Path(__file__).parent,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return None
    return told.stdout.strip()


if __name__ == "__main__":
    main()
