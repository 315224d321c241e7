"""`privopt verify`: simulate a plan; check a release or decision, and its ledger."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privopt.cli.flags import Asked, with_job
from privopt.cli.release import PLAN
from privopt.cli.streams import JSON, as_given, chatter, escape, print_json, results
from privopt.cli.view import facts, print_view, whose_data
from privopt.errors import InputError

if TYPE_CHECKING:
    from privopt.app.check import Finding

__all__ = ["print_findings", "verify"]

_WORDS = {
    True: "[bold]Confirmed.[/]",
    None: "[bold yellow]Partly confirmed[/]: what was compared holds, and not all of it was.",
    False: "[bold red]Not confirmed.[/]",
}
_FILES = ("release", "decision", "measurement", "instrument", "ledger")


@with_job(without=("output",))
def verify(
    asked: Asked,
    *,
    plan: PLAN = False,
    release: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Release file: is it whole, does --ledger hold it?"),
    ] = None,
    decision: Annotated[
        str | None, typer.Option(metavar="FILE", help="Decision file: does its certificate hold?")
    ] = None,
    samples: Annotated[int, typer.Option(help="Simulated releases.", min=1)] = 10_000,
    draws_seed: Annotated[int, typer.Option(help="Seed of the simulation.", min=0)] = 0,
    as_json: JSON = False,
) -> None:
    """Simulate a plan: how often does a limit break? Or check a release or a decision.

    In the place of the job may stand any file of privopt: a release, decision, measurement,
    instrument or ledger is checked; of others it is said what they are.

    The result for a plan is private. Of a decision the certificate is checked in exact fractions,
    and data are drawn that its measurement leaves possible. A release that was decided is compared
    with the decision that lies beside it, or that --decision names. Exit code 1 if what is claimed
    is refuted, or if not all of it could be compared: --ledger names the ledger that counted it.

    Example: privopt verify job.toml --plan --samples 100000
    """
    flags = {"release": release, "decision": decision}
    given = {name: path for name, path in flags.items() if path is not None}
    if (kind := _kind(asked)) in _FILES:
        if kind in given:
            raise InputError(
                f"two files of a {kind} were given.", "one of them.", "verify them one by one."
            )
        given[kind], asked = asked.file or "", replace(asked, file=None)
    if given:
        _check(given, asked.job().ledger, samples, draws_seed, as_json=as_json)
        return
    from privopt.app.verifying import simulate

    job = asked.job()
    found = simulate(job, plan=plan, samples=samples, seed=draws_seed, status=chatter().status)
    whose_data(job)
    if as_json:
        print_json(found.to_dict())
    else:
        console, verdict = results(), found.verdict
        print_view(console, found.view)
        console.print(f"[{'bold red' if verdict.refuted else 'bold'}]{escape(verdict.words)}[/]")
    if found.verdict.refuted:
        raise typer.Exit(1)


def _kind(asked: Asked) -> str:
    """What was given in the place of the job; a file that nothing here takes is refused."""
    from privopt.recognise import kind_of, use_of

    kind = "job" if asked.file is None else kind_of(asked.file) or "job"
    if kind == "job" or kind in _FILES:
        return kind
    what, use = use_of(asked.file or "") or ("something else", "check the path")
    raise InputError(
        f"{asked.file} is {what}: there is nothing in it that verify looks at.",
        f"a job, or one of: {', '.join(_FILES)}.",
        f"{use}.",
    )


def _check(
    given: dict[str, str], ledger: str | None, samples: int, seed: int, *, as_json: bool
) -> None:
    """Whether a file is whole, whether a ledger holds it, and, of a decision, how data fare."""
    from privopt.app.check import KINDS, check, decision_beside
    from privopt.claims.estimate import estimate_to_dict
    from privopt.kernel.release import Release
    from privopt.mechanisms.measured.decision import Decision

    if "ledger" in given:
        from privopt.cli.ledger import verify as verify_ledger

        verify_ledger(given["ledger"], as_json=as_json)
        return
    decided = Decision.load(given["decision"]) if "decision" in given else None
    others = [KINDS[kind].load(path) for kind, path in given.items() if kind != "decision"]
    made = others[0] if others else decided
    if made is None or (decided is not made and decided and not isinstance(made, Release)):
        raise InputError(
            "--decision was given beside something that is no release.",
            "a release that was decided, or a decision alone.",
            "verify them one by one.",
        )
    if isinstance(made, Release) and decided is None:
        decided = decision_beside(Path(given["release"]), made)
    with as_given(ledger):
        findings = check(made, ledger, decided)
    more: dict[str, Any] = {**given, "ledger": ledger}
    if isinstance(made, Decision) and made.certificate is not None:
        with chatter().status(f"drawing {samples} data that the measurement leaves possible"):
            found = made.verify(samples, seed)
        more |= {
            "violation": estimate_to_dict(found.violation),
            "completion": estimate_to_dict(found.completion),
        }
        if not as_json:
            view = replace(
                found.view(), title="Verification of a decision", notes=(), private=False
            )
            print_view(results(), view)
    print_findings(findings, more, as_json=as_json)


def print_findings(findings: tuple[Finding, ...], about: dict[str, Any], *, as_json: bool) -> None:
    """What was looked at, and what that comes to; unless all of it holds, it ends with 1."""
    from privopt.app.check import verdict

    holds = verdict(findings)
    if as_json:
        checked = [asdict(one) for one in findings]
        print_json({**about, "confirmed": holds, "findings": checked})
    else:
        console = results()
        marks = {True: "[green]yes[/]", None: "[yellow]not compared[/]", False: "[bold red]no[/]"}
        rows = (
            (marks[one.holds], f"{escape(one.what)} [dim]({escape(one.seen)})[/]")
            for one in findings
        )
        console.print(facts(*rows))
        console.print(_WORDS[holds])
    if not holds:
        raise typer.Exit(1)
