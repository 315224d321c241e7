"""`privopt verify`: simulate a plan; check a release or decision, and its ledger."""

from __future__ import annotations

from dataclasses import asdict, replace
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
    and data are drawn that its measurement leaves possible; with --release beside it, that is
    compared with it. Exit code 1 if what is claimed is refuted, or if the ledger does not hold the
    release.

    Example: privopt verify job.toml --plan --samples 100000
    """
    named = {"release": release, "decision": decision}
    if (kind := _kind(asked)) in _FILES:
        if kind in named and named[kind] is not None:
            raise InputError(
                f"two files of a {kind} were given.", "one of them.", "verify them one by one."
            )
        file, asked = asked.file or "", replace(asked, file=None)
        if kind not in named:
            _check_other(kind, file, asked.job().ledger, as_json)
            return
        named[kind] = file
    release, decision = named.values()
    if release is not None:
        _check(release, decision, asked.job().ledger, as_json)
        return
    if decision is not None:
        _check_decision(decision, asked.job().ledger, samples, draws_seed, as_json)
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


def _check_other(kind: str, path: str, ledger: str | None, as_json: bool) -> None:
    """Check a ledger, or what is whole if it can be read: a measurement or an instrument."""
    from privopt.app.check import Finding, check_published
    from privopt.kernel.instrument import Instrument
    from privopt.kernel.measurement import Measurement

    if kind == "ledger":
        from privopt.cli.ledger import verify as verify_ledger

        verify_ledger(path, as_json=as_json)
        return
    sound, about = "[bold]Confirmed[/].", {kind.replace(" ", "_"): path, "ledger": ledger}
    if kind == "instrument":
        made = Instrument.load(path)
        count = f"{len(made.W)} sum{'s' * (len(made.W) != 1)}; its sensitivity was computed again"
        findings = (Finding("the instrument is whole", True, count),)
        if ledger is not None:
            raise InputError(
                "--ledger was given for an instrument.",
                "a release, a measurement or a decision, which a ledger counts.",
                "leave --ledger out.",
            )
    else:
        measured = Measurement.load(path)
        with as_given(ledger):
            findings = (
                check_published(measured, ledger)
                if ledger is not None
                else (Finding("the measurement is whole", True, f"{len(measured.names)} values"),)
            )
        if ledger is None:
            sound += " Not compared with a ledger: --ledger LEDGER does that."
    print_findings(findings, sound, about, as_json=as_json)


def _check(path: str, decision: str | None, ledger: str | None, as_json: bool) -> None:
    """Whether a release file is whole, and whether a ledger and a decision hold it."""
    from privopt.app.check import check_release
    from privopt.kernel.release import Release
    from privopt.mechanisms.measured.decision import Decision

    made = Release.load(path)
    beside = None if decision is None else Decision.load(decision)
    with as_given(ledger):
        findings = check_release(made, ledger, beside)
    sound = f"Not compared with a ledger. The release says: {escape(made.counted)}."
    if ledger is not None and made.rests_on:
        sound = "[bold]Confirmed[/]: the ledger holds the measurement that it rests on."
    elif ledger is not None:
        sound = "[bold]Confirmed[/]: the ledger holds this release."
    if made.rests_on and decision is None:
        sound += " [yellow]Its values were not compared[/]: --decision FILE does that."
    more = {"release": path, "decision": decision, "ledger": ledger}
    compared = beside is not None or (ledger is not None and not made.rests_on)
    print_findings(findings, sound, {**more, "values_compared": compared}, as_json=as_json)


def _check_decision(path: str, ledger: str | None, samples: int, seed: int, as_json: bool) -> None:
    """Whether the certificate of a decision holds, and how data fare that were left possible."""
    from privopt.app.check import check_decision
    from privopt.claims.estimate import estimate_to_dict
    from privopt.mechanisms.measured.decision import Decision

    made = Decision.load(path)
    with as_given(ledger):
        findings = check_decision(made, ledger)
    more: dict[str, Any] = {"decision": path, "ledger": ledger}
    if made.certificate is not None:
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
    print_findings(findings, "[bold]Confirmed[/]: the certificate holds.", more, as_json=as_json)


def print_findings(
    findings: tuple[Finding, ...], sound: str, about: dict[str, Any], *, as_json: bool
) -> None:
    """What was looked at, and `sound` where all of it holds; else the command ends with 1."""
    holds = all(one.holds for one in findings)
    if as_json:
        checked = [asdict(one) for one in findings]
        print_json({**about, "confirmed": holds, "findings": checked})
    else:
        console = results()
        marks = {True: "[green]yes[/]", False: "[bold red]no[/]"}
        rows = (
            (marks[one.holds], f"{escape(one.what)} [dim]({escape(one.seen)})[/]")
            for one in findings
        )
        console.print(facts(*rows))
        console.print(sound if holds else "[bold red]Not confirmed.[/]")
    if not holds:
        raise typer.Exit(1)
