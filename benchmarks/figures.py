"""The figures that several pages quote, in one file made from the journals: docs/figures.md.

    python -m benchmarks.figures                    writes docs/figures.md; a test compares the two

Pages include its parts by name (`<!-- --8<-- [start:name] -->`), so that no page can say another
number than another page does. The journals are what was measured:

    true_epsilon.jsonl        privopt experiment privacy --algorithms "lower bound" --runs 6
    headline_<network>.jsonl  python -m benchmarks.headline <network> --instances 100
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.headline.journal import read
from benchmarks.headline.mechanisms import NOTHING, PLAN
from benchmarks.headline.subject import Conditions
from benchmarks.headline.table import Rows

__all__ = ["NETWORKS", "PAGE", "largest_epsilon", "page"]

NETWORKS = ("3_lmbd", "5_pjm", "14_ieee", "39_epri", "57_ieee", "118_ieee")
_JOURNALS = Path(__file__).parent / "journals"
PAGE = Path(__file__).parents[1] / "docs" / "figures.md"
_GUESS = "guess"
_HEAD = """# Figures

The figures that several pages quote. This file is made by `python -m benchmarks.figures` from the
journals in `benchmarks/journals`, and pages include its parts: do not edit it."""


def searches() -> list[dict[str, Any]]:
    """What `lower_bound` found, a row for each network and run."""
    text = (_JOURNALS / "true_epsilon.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def largest_epsilon() -> tuple[str, str]:
    """The largest true epsilon that was found, rounded down, and its network."""
    best = max(searches(), key=lambda row: row["epsilon"])
    return _down(best["epsilon"]), best["network"]


def page() -> str:
    """The whole file."""
    parts = (f"<!-- --8<-- [start:{name}] -->\n{text}\n<!-- --8<-- [end:{name}] -->"
             for name, text in _parts())  # fmt: skip
    return "\n\n".join([_HEAD, *parts]) + "\n"


def _parts() -> Iterator[tuple[str, str]]:
    epsilon, network = largest_epsilon()
    yield (
        "true_epsilon",
        "On the paper's own networks a search (`po.assess.lower_bound`) finds neighbours for which "
        "the\npaper's plan has a true epsilon of at least "
        f"{epsilon} where 1 is claimed ({network}).",
    )
    yield "true_epsilon_table", _epsilons()
    yield "measured_ratios", _ratios()


def _epsilons() -> str:
    lines = [
        "| network | runs | largest true ε of PIQ-a | mean | above 1 in | witness |",
        "|---|---|---|---|---|---|",
    ]
    every = searches()
    for network in NETWORKS:
        rows = [row for row in every if row["network"] == network]
        best = max(rows, key=lambda row: row["epsilon"])
        above = sum(row["epsilon"] > 1 + 1e-6 for row in rows)
        lines.append(
            f"| {network} | {len(rows)} | ≥ {_down(best['epsilon'])} "
            f"| {np.mean([row['epsilon'] for row in rows]):.2f} "
            f"| {above} run{'s' * (above != 1)} | {best['entry']} by {abs(best['step']):g}: "
            f"release by {best['moved']:.3g} (run {best['run']}) |"
        )
    return "\n".join(lines)


def _ratios() -> str:
    """Best guess beside the plan, the constant and the spread: ratios of medians."""
    columns = [_of(network) for network in NETWORKS]
    names = ("loss / the plan's", "loss / the constant's", "distance / the plan's",
             "distance / spread")  # fmt: skip
    lines = [f"| best guess | {' | '.join(NETWORKS)} |", "|---" * (len(NETWORKS) + 1) + "|"]
    for k, name in enumerate(names):
        lines.append(f"| {name} | {' | '.join(_short(column[k]) for column in columns)} |")
    return "\n".join(lines)


def _of(network: str) -> tuple[float, float, float, float]:
    rows = read(_JOURNALS / f"headline_{network}.jsonl", Conditions())
    table = Rows([row for row in rows.values() if row["network"] == network])

    def median(name: str, what: str) -> float:
        return float(np.nanmedian(table.column(name, what)))

    spread = table.spread()
    return (
        median(_GUESS, "loss") / median(PLAN, "loss"),
        median(_GUESS, "loss") / median(NOTHING, "loss"),
        median(_GUESS, "distance") / median(PLAN, "distance"),
        median(_GUESS, "distance") / float(np.median(spread[np.isfinite(spread)])),
    )


def _down(value: float) -> str:
    """Two digits behind the point, rounded down: a lower bound stays one."""
    return f"{math.floor(100 * value + 1e-6) / 100:.2f}"


def _short(value: float) -> str:
    digits = 1 if value < 0.0095 else 2
    return f"{float(f'{value:.{digits}g}'):f}".rstrip("0").rstrip(".")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
