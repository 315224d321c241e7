"""`privopt decide`: what to release, from a measurement and public data alone; at no charge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from privopt.cli.flags import Asked, with_job
from privopt.cli.output import OVERWRITE, outputs
from privopt.cli.streams import JSON, as_given, chatter, escape, print_json, results
from privopt.cli.verify import print_findings
from privopt.cli.view import print_view
from privopt.digits import finite
from privopt.errors import InputError

if TYPE_CHECKING:
    from privopt.mechanisms.measured.decision import Decision

__all__ = ["decide"]


@with_job(without=("data", "privacy", "objective", "repeat", "domain", "ledger"))
def decide(
    asked: Asked,
    *,
    measurement: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Measurement to decide from; several of the same data, if repeated.",
        ),
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option(
            metavar="LEDGER",
            help="Ledger that counted the measurement: what it confirms is claimed, not only "
            "stated. Only read.",
        ),
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Instead: check the certificate of a saved decision, exactly."
        ),
    ] = None,
    overwrite: OVERWRITE = False,
    as_json: JSON = False,
) -> None:
    """Decide what to release, from a measurement: public, and at no further charge.

    Reads no private data. One measurement serves any number of decisions: other queries, another
    eta, other prices, a changed network. --out writes the decision with its certificate, and beside
    it the release (decision.release.json). Exit code 3 if no values keep the limits for all data
    that the measurement leaves possible; --fallback names values for that case in advance.

    --check looks at a saved decision again in exact fractions, without a solver: exit code 1 if its
    certificate does not hold.

    Example: privopt decide job.toml --measurement may.json --eta 0.05 --out decision.json
    """
    if check is not None:
        if measurement or asked.file is not None or asked.flags:
            raise InputError(
                "--check was given with something else.",
                "a saved decision alone: it holds all that is checked.",
                "leave the job, its flags and --measurement out.",
            )
        _check(check, as_json)
        return
    if not measurement:
        raise InputError(
            "no measurement was given.",
            "a file that `privopt measure` wrote, or several of the same data.",
            "write --measurement FILE; to measure and decide in one step: privopt release with "
            "--mechanism measured.",
        )
    from privopt.app.measuring import decided
    from privopt.kernel import wire
    from privopt.kernel.measurement import Measurement
    from privopt.ledger import Ledger

    measured = [Measurement.load(path) for path in measurement]
    if ledger is not None:
        with as_given(ledger), Ledger(ledger, read_only=True) as seen:
            measured = [one.confirmed(seen) for one in measured]
    job = asked.job()
    out = job.out("decision")
    paths = {"decision": out, "release": job.out_beside("release", out)}
    inputs = (*job.inputs, *measurement)
    with outputs(paths, overwrite=overwrite, inputs=inputs) as places:
        with chatter().status("deciding"):
            made = decided(job, measured)
        for kind, thing in (("decision", made), ("release", made.release())):
            places[kind].write(wire.text(thing, indent=2) + "\n")
    if as_json:
        print_json({**_plain(made), **paths})
        return
    console = results()
    print_view(console, made.view())
    for kind, path in paths.items():
        if path is not None:
            console.print(f"{kind.capitalize()}: [bold]{escape(path)}[/]", soft_wrap=True)
    if out is None:
        chatter().print("[dim]Not saved: --out decision.json keeps it.[/]")


def _check(path: str, as_json: bool) -> None:
    from privopt.app.check import certified
    from privopt.mechanisms.measured.decision import Decision

    print_findings(certified(Decision.load(path)), {"decision": path}, as_json=as_json)


def _plain(made: Decision) -> dict[str, Any]:
    from privopt.claims.estimate import estimate_to_dict

    return {
        "private": False,
        "names": list(made.names),
        "values": made.values.tolist(),
        "fallback": made.certificate is None,
        "loss": finite(made.loss),
        "distance": finite(made.distance),
        "optimal_cost": estimate_to_dict(made.optimal_cost),
        "epsilon": made.epsilon,
        "delta": made.delta,
        "spread": made.spread,
        "warnings": list(made.view().warnings),
        "worth": made.worth.to_dict(),
        "rests_on": [one.digest for one in made.measurements if one.release is not None],
        "guarantee": made.guarantee.to_dict(),
    }
