"""`privopt advise`: what to measure, which values to release, at what cost, within which budget."""

from __future__ import annotations

from privopt.cli.choosing import candidates, kept_in, with_sums
from privopt.cli.flags import Asked, with_job
from privopt.cli.output import OVERWRITE, check_renders, output
from privopt.cli.progress import live
from privopt.cli.streams import JSON, chatter, escape, print_json, results
from privopt.cli.view import print_view, tabulated

__all__ = ["advise"]


@with_job(without=("data", "objective", "repeat"))
def advise(asked: Asked, *, overwrite: OVERWRITE = False, as_json: JSON = False) -> None:
    """Say what to measure, which values are worth releasing, what it costs and if it fits.

    Reads no private data and charges nothing; a ledger is only read. Sums that the job names are
    simulated on public draws; with measure = "choose" the best of many are found, and kept in
    [output] instrument if that is given. --out writes one page of it all.

    Example: privopt advise job.toml --ledger loads.ledger --out advice.html
    """
    from privopt.app.advising import advise as advised

    job = asked.job()
    page = job.out("page")
    check_renders(page)
    inputs = (*job.inputs, kept_in(job, None))
    with output(page, overwrite=overwrite, inputs=inputs) as place:
        job = with_sums(job, None)
        with live("simulating decisions", chatter(), "simulated decisions") as progress:
            found = advised(job, progress)
        if page is not None:
            from privopt.report.sheet import advice_page

            place.write(advice_page(found))
    if as_json:
        print_json({"private": False, **found.to_dict(), "page": page})
        return
    console = results()
    print_view(console, found.view())
    made = found.instrument
    if made.table is not None and len(made.table) > 1:
        console.print(candidates(made.table))
    if made.curve_table is not None:
        console.print(tabulated(made.curve_table, digits=3))
    if page is not None:
        console.print(f"Page: [bold]{escape(page)}[/]", soft_wrap=True)
