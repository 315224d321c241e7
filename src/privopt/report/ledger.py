"""The page of a ledger: budget bar and timeline first, then what they mean, then the last charges.

It is for the curator: keys of charges name releases, and are left out. What is handed to others is
the folder that `privopt evidence` writes.
"""

from __future__ import annotations

from dataclasses import replace

from privopt.ledger.inspection import budget, exact, plot, state
from privopt.ledger.reading import ReadLedger
from privopt.report.sheet import Stamp, sheet
from privopt.show.plainly import odds
from privopt.show.view import Fact, Table

__all__ = ["LAST", "ledger_page"]

LAST = 200  # events that are listed


def ledger_page(ledger: ReadLedger) -> str:
    """The page of a ledger, whose rows are all checked for it.

    Raises
    ------
    LedgerError
        It is not whole.
    """
    report = ledger.verify()
    events = ledger.recent(LAST)
    view = state(ledger, events[-1])
    listed = exact(events)
    columns = {name: cells for name, cells in listed.columns.items() if name != "key"}
    title = "events" if len(events) == 1 or events[0].row == 1 else f"the last {LAST} events"
    spent, left = report.spent, ledger.left
    figures = (
        Fact("charges", f"{report.charges}, {report.released} with an output",
             str(report.charges), "charges so far"),
        Fact("head", f"row {report.head[0]}, {report.head[1]}"),
    )  # fmt: skip
    facts = tuple(
        replace(fact, figure=f"ε {left.epsilon:.6g}", caption="left, of the whole budget")
        if fact.name == "left"
        else fact
        for fact in view.facts
    )
    whole = replace(
        view,
        table=Table("row", listed.rows, columns, title),
        facts=(*facts, *figures),
        notes=(),
        lead="Every release about the same private data is charged here before the data are read. "
        "When the limit is reached, nothing more is released.",
    )
    return sheet(
        whole,
        (budget(ledger), plot(ledger)),
        Stamp("good", "WHOLE", "Every row was checked for this page: none was changed since it was "
              "written, and the sums are right."),
        (_plainly(spent.epsilon, spent.delta),),
    )  # fmt: skip


def _plainly(epsilon: float, delta: float) -> str:
    """What all charges together come to, for a layman."""
    if epsilon == 0 and delta == 0:
        return "Nothing was charged yet: nothing about the private data was published by this way."
    but = f", apart from a chance of {delta:.3g}" if delta > 0 else ""
    return (
        "All that was published together changes the odds between any two sets of data that are "
        f"neighbours (below) by a factor of at most {odds(epsilon)}{but}. A factor of 1 would tell "
        "nothing. This is as good as the claims of the charges, which are listed below."
    )
