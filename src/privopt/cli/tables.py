"""What an experiment found, printed: beside what the paper printed, assumed beside proven."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table

from privopt.cli.streams import escape
from privopt.cli.view import COLOURS

if TYPE_CHECKING:
    from privopt.experiments import Results
    from privopt.report.compare import Comparison
    from privopt.report.proofs import Proof

__all__ = ["print_figure", "print_privacy", "print_table"]

_PRINTED = (
    "Percent, mean over the runs. Violation: no feasible solution has the released values. In "
    "brackets what the paper printed, green within 3 standard errors. Runs without a plan "
    "(infeasible, or failed) count in no mean."
)
_WHY = {
    "infeasible": "because the limits cannot be kept with this noise",
    "failed": "because the solver stopped without an answer",
}
_AFTER = (
    " The loss of {} is one after completion; that of the others, as in the paper, is of the "
    "affine solution."
)
_COST = (
    "Means over the runs with an answer. Loss: of the affine solution, as planned, and PIQ-a's "
    "over the same runs. After: the loss after completion of a release, which is to be compared; a "
    "decision (measured) has no other. Distance: of the release from the non-private answer (root "
    "mean square). None: runs without an answer."
)


def print_table(console: Console, name: str, out: Path) -> None:
    """The reproduced means beside the printed ones."""
    from privopt.report.compare import compare
    from privopt.report.folder import read

    folder = read(out)
    found = folder.table1 if name == "table1" else folder.table2
    if found is None:
        return
    lines = compare(name, found)
    rows = [
        (
            line.row.case,
            [
                line.row.algorithm,
                _compared(line.violation),
                _compared(line.loss),
                _some(line.row.infeasible + line.row.failed, line.row.runs),
            ],
        )
        for line in lines
    ]
    headings = ("algorithm", "violation", "loss", "no plan")
    after = dict.fromkeys(line.row.algorithm for line in lines if line.row.after)
    caption = _PRINTED + (_AFTER.format(", ".join(after)) if after else "")
    console.print(_table(headings, rows, caption=caption))
    kinds = [(f"{one.row.case} {one.row.algorithm}", one.row) for one in lines]
    _say_why(console, "infeasible", [(name, row.infeasible, row.runs) for name, row in kinds])
    _say_why(console, "failed", [(name, row.failed, row.runs) for name, row in kinds])


def print_figure(console: Console, results: Results) -> None:
    """Loss and variances by phi, as Figure 2 draws them."""
    kinds = ("loss", "loss_variance", "solution_variance")
    rows = [
        (
            f"{row['panel']}, cbar {row['cbar']:g}",
            [
                f"phi {row['phi']:g}",
                *(_number(row[kind], 3) for kind in kinds),
                _some(row["infeasible_runs"] + row["failed_runs"], row["runs"]),
            ],
        )
        for row in results.summary
    ]
    headings = ("weight", "loss %", "var. of loss", "var. of z", "no plan")
    console.print(_table(headings, rows, caption="Means over the runs."))
    for how in _WHY:
        ended = [
            (f"{row['panel']}, cbar {row['cbar']:g}, phi {row['phi']:g}", row[f"{how}_runs"],
             row["runs"])
            for row in results.summary
        ]  # fmt: skip
        _say_why(console, how, ended)
    if all(row["status"] != "solved" for row in results.rows):
        console.print(
            "[yellow]No run had a plan[/]: with this noise the limits cannot be kept. Try another "
            "network, or fewer sums."
        )


def print_privacy(console: Console, results: Results) -> None:
    """How privacy is known, and what it costs; what had no answer is told below."""
    from privopt.report.proofs import Proof, Proofs

    proofs = Proofs(tuple(map(Proof.read, results.summary)), {})
    rows = [
        (
            row.network,
            [
                row.algorithm,
                _privacy(row),
                _number(None if row.after else row.loss and row.loss.mean, 2),
                _number(None if row.after else row.beside, 2),
                _number(row.completed, 2),
                _number(row.distance, 3),
                _some(row.runs - row.answered, row.runs),
            ],
        )
        for row in proofs.rows
    ]
    headings = ("method", "privacy", "loss %", "PIQ-a", "after", "distance", "none")
    console.print(_table(headings, rows, "Privacy and its cost", _COST))
    for reason, where in proofs.reasons:
        console.print(f"[yellow]{escape(reason)}[/]: [dim]{escape('; '.join(where))}[/]")


def _table(
    headings: tuple[str, ...],
    rows: Iterable[tuple[str, list[str]]],
    title: str | None = None,
    caption: str | None = None,
) -> Table:
    """Lines of cells, those of one case below its name; the first cell is a name."""
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title=title,
        title_justify="left",
        caption=caption,
        caption_justify="left",
    )
    for place, heading in enumerate(headings):
        words = place == 0 or heading == "privacy"
        table.add_column(
            heading, justify="left" if words else "right", no_wrap=place > 0, overflow="fold"
        )
    last = None
    for case, (name, *cells) in rows:
        if case != last:
            table.add_row(f"[bold]{escape(case)}[/]")
        table.add_row(f"  {escape(name)}", *cells)
        last = case
    return table


def _say_why(console: Console, how: str, where: list[tuple[str, int, int]]) -> None:
    """Why some runs have no plan, and which."""
    named = [f"{name} ({_some(count, runs)})" for name, count, runs in where if count]
    if named:
        console.print(f"[yellow]No plan, {_WHY[how]}[/]: [dim]{escape('; '.join(named))}[/]")


def _compared(pair: Comparison) -> str:
    if pair.found is None or pair.printed is None:
        return _number(pair.found and pair.found.mean, 2)
    colour = "green" if pair.within else "red"
    return f"{pair.found.mean:.2f} [{colour}]({pair.printed.mean:.2f})[/]"


def _privacy(row: Proof) -> str:
    if row.epsilon is not None:
        text = f"epsilon >= {row.epsilon:.2f}"
        return f"[red]{text}[/]" if row.beyond else text
    return f"[{COLOURS[row.privacy]}]{row.privacy}[/]" if row.privacy in COLOURS else row.privacy


def _some(count: int, runs: int) -> str:
    return f"{count} of {runs}" if count else ""


def _number(value: float | None, digits: int) -> str:
    return "[dim]-[/]" if value is None else f"{value:.{digits}f}"
