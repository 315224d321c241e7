"""One line for each network, kind of work and noise: a share with its Clopper-Pearson interval.

| verdict | |
|---|---|
| below | the whole interval is below eta |
| level | eta lies in the interval (of `leaving` it should: the share is eta by design) |
| none | nothing went wrong where nothing may: bounded noise, or d inside U(y) |
| WRONG | the interval is above eta, or something failed that may not |
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from benchmarks.feasibility.cell import BOUNDED
from benchmarks.feasibility.deciding import EDGE
from benchmarks.headline.journal import Row
from privopt.claims.estimate import Estimate

__all__ = ["table"]

CONFIDENCE = 0.99
_LINE = "{:9} {:9} {:10} {:>6} {:>9} {:>9} {:>8} {:>7} {:>8} {:>19}  {}"


def table(rows: Iterable[Row]) -> str:
    """The rows of some networks."""
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["network"], row["work"], row["law"]].append(row)
    heads = ("network", "work", "noise", "seeds", "measured", "decisions", "outside", "failed",
             "unclear", "99% interval, %", "")  # fmt: skip
    return "\n".join([_LINE.format(*heads), *(_line(key, of) for key, of in groups.items())])


def _line(key: tuple[str, str, str], rows: list[Row]) -> str:
    network, work, law = key
    total = {name: sum(row.get(name, 0) for row in rows) for name in
             ("samples", "outside", "decisions", "failed", "failed_inside", "unclear",
              "region_misses")}  # fmt: skip
    leaving = work == "leaving"
    counted = total["outside"] if leaving else total["failed"] + total["unclear"]
    share = Estimate.of(counted, max(total["samples"], 1), CONFIDENCE)
    never = law == BOUNDED or work == EDGE
    wrong = total["failed_inside"] + total["region_misses"] + (counted if never else 0)
    eta = rows[0]["conditions"]["eta"]
    if wrong or share.interval[0] > eta:
        verdict = "WRONG"
    elif never:
        verdict = "none"
    else:
        verdict = "below" if share.interval[1] <= eta else "level"
    low, high = (100 * end for end in share.interval)
    shown = [str(total[name]) for name in ("decisions", "outside", "failed", "unclear")]
    if leaving:
        shown = ["", shown[1], "", ""]
    seeds = len({row["seed"] for row in rows})
    return _LINE.format(
        network, work, law, seeds, total["samples"], *shown, f"{low:.4f} to {high:.4f}",
        verdict,
    )  # fmt: skip
