"""`privopt choose`: which sums of the private data to measure, by simulation on public draws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privopt.cli.choosing import candidates, chosen
from privopt.cli.flags import Asked, with_job
from privopt.cli.output import OVERWRITE
from privopt.cli.streams import JSON, chatter, escape, print_json, results
from privopt.cli.view import print_view, tabulated

if TYPE_CHECKING:
    from privopt.kernel.instrument import Instrument

__all__ = ["choose"]


@with_job(without=("data", "objective", "repeat", "ledger"))
def choose(asked: Asked, *, overwrite: OVERWRITE = False, as_json: JSON = False) -> None:
    """Choose which sums of the private data to measure, and show all candidates.

    Reads no private data and costs nothing. Each candidate (nothing, the total, zones, each entry,
    leading directions, and the sums that the job names) is guessed at, and the best few are
    simulated: measured, decided and completed, on public draws. That takes seconds on 14 nodes and
    minutes on 57. --out, or [output] instrument, keeps what was chosen: `release` and `measure`
    take it from there, for measure = "choose" or with --measure FILE.

    Example: privopt choose job.toml --out instrument.json
    """
    job = asked.job()
    out = job.out("instrument")
    made = chosen(job, out, overwrite=overwrite)
    if as_json:
        print_json({**_plain(made), "instrument": out})
        return
    console = results()
    print_view(console, made.view())
    if made.table is not None:
        console.print(candidates(made.table))
    if made.curve_table is not None:
        console.print(tabulated(made.curve_table, digits=3))
    if out is not None:
        console.print(f"Instrument: [bold]{escape(out)}[/]", soft_wrap=True)
    else:
        chatter().print("[dim]Not saved: --out instrument.json keeps it.[/]")


def _plain(made: Instrument) -> dict[str, Any]:
    noise, worth = made.calibration, made.worth
    return {
        "private": False,
        "sums": list(made.names),
        **{name: getattr(noise, name, 0.0) for name in ("epsilon", "delta", "scale")},
        **(made.comparison or {}),
        "worth": None if worth is None else worth.to_dict(),
        "warnings": list(made.view().warnings),
    }
