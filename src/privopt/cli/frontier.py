"""`privopt frontier`: what the solution costs as one parameter changes."""

from __future__ import annotations

from typing import Annotated

import typer

from privopt.cli.choosing import kept_in, with_sums
from privopt.cli.flags import Asked, with_job
from privopt.cli.options import one_of
from privopt.cli.output import OVERWRITE, check_renders, output
from privopt.cli.progress import live
from privopt.cli.release import PLAN
from privopt.cli.streams import JSON, chatter, escape, print_json, results
from privopt.cli.view import print_view, whose_data
from privopt.errors import InputError

__all__ = ["frontier"]

_OVER = ("epsilon", "alpha", "eta", "phi", "fidelity")
_WORDS = ", ".join(_OVER)
_FAR = 1e300  # no parameter is as large


@with_job(without=("ledger",))
def frontier(
    asked: Asked,
    *,
    over: Annotated[
        str,
        typer.Option(
            help=f"The parameter: {_WORDS}.", autocompletion=one_of(_OVER), metavar="NAME"
        ),
    ] = "epsilon",
    low: Annotated[float | None, typer.Option("--from", help="Smallest value.")] = None,
    high: Annotated[float | None, typer.Option("--to", help="Largest value.")] = None,
    points: Annotated[int, typer.Option(help="Number of values.", min=2)] = 9,
    values: Annotated[
        str | None, typer.Option(metavar="NUMBER,...", help="Or the values, with commas.")
    ] = None,
    plan: PLAN = False,
    overwrite: OVERWRITE = False,
    as_json: JSON = False,
) -> None:
    """Cost and loss at several values of one parameter.

    Of plans, which is private; where the job measures and decides, of decisions, simulated on
    public draws, with their distance. Beside decisions stands the constant, which costs no epsilon.
    --out writes a page with the picture.

    Example: privopt frontier job.toml --over epsilon --from 0.1 --to 10 --out page.html
    """
    from privopt.app.tracing import frontier as along
    from privopt.app.tracing import jobs_of
    from privopt.app.values import meant

    if over not in _OVER:
        raise InputError(f"--over is {over!r:.40}.", f"one of: {_WORDS}.", meant(over, _OVER))
    job = asked.job()
    out = job.out("page")
    chosen = _values(over, values, low, high, points)
    private = job.made_by(plan=plan) == "plan"
    check_renders(out)
    jobs_of(job, over, chosen, decisions=not private)  # to choose what to measure can take minutes
    if private:
        whose_data(job)
    inputs = (*job.inputs, None if private else kept_in(job, None))
    with output(out, overwrite=overwrite, inputs=inputs, private=private) as place:
        if not private:
            job = with_sums(job, None)
        with live("frontier", chatter(), "values") as progress:
            found = along(job, over, chosen, decisions=not private, progress=progress)
        if out is not None:
            from privopt.report.sheet import frontier_page

            place.write(frontier_page(found))
    if as_json:
        print_json({**found.to_dict(), "page": out})
        return
    console = results()
    print_view(console, found.view())
    if out is not None:
        console.print(f"Page: [bold]{escape(out)}[/]", soft_wrap=True)


def _values(
    over: str, values: str | None, low: float | None, high: float | None, points: int
) -> list[float]:
    from privopt.app.tracing import spaced
    from privopt.app.values import number_of

    if values is not None and low is None and high is None:
        found = [number_of(part) for part in values.split(",")]
        known = [value for value in found if value is not None and abs(value) < _FAR]
        if len(known) == len(found):
            return known
    elif values is None and low is not None and high is not None and high - low < _FAR:
        return spaced(over, low, high, points)
    raise InputError(
        "the values are not said, or not as numbers.",
        "--from and --to, or --values with commas.",
        "write for example --from 0.1 --to 10, or --values 0.1,1,10.",
    )
