"""`privopt design`: a policy from public data, private for every pair of neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console

from privopt.cli.flags import Asked, with_job
from privopt.cli.output import OVERWRITE, output
from privopt.cli.streams import JSON, chatter, escape, finite, print_json, results
from privopt.cli.view import facts, print_claims, public_mark
from privopt.digits import exactly, up

if TYPE_CHECKING:
    from privopt.mechanisms.policy import Policy

__all__ = ["design", "policy_facts"]


@with_job("program", "query", "privacy", "feasibility", "domain", "design", "settings", "output")
def design(asked: Asked, *, overwrite: OVERWRITE = False, as_json: JSON = False) -> None:
    """Design a policy: what to release for any data of a public domain.

    Reads no private data. --out writes it as JSON; `privopt release --policy` releases by it, as
    often as the budget allows. Exit code 3 if no policy keeps the limits.

    Example: privopt design job.toml --out policy.json
    """
    from privopt.app.job import designed
    from privopt.kernel import wire

    job = asked.job()
    out = job.out("policy")
    with output(out, overwrite=overwrite, inputs=job.inputs) as place:
        with chatter().status("designing"):
            policy = designed(job)
        place.write(wire.text(policy, indent=2) + "\n")
    if as_json:
        print_json({**_plain(policy), "policy": out})
        return
    console = results()
    _print(console, policy)
    if out is not None:
        console.print(f"Policy: [bold]{escape(out)}[/]", soft_wrap=True)
    else:
        chatter().print("[dim]Not saved: --out policy.json keeps it.[/]")


def _plain(policy: Policy) -> dict[str, Any]:
    from privopt.mechanisms.policy_view import warnings_of

    noise = policy.calibration
    return {
        "private": False,
        "released": list(policy.names),
        "constant": noise is None,
        "level": policy.sensitivity,
        "reach": policy.reach.tolist(),
        "epsilon": 0.0 if noise is None else noise.epsilon,
        "delta": 0.0 if noise is None else noise.delta,
        "scale": 0.0 if noise is None else noise.scale,
        "cost": policy.cost,
        "loss": finite(policy.loss),
        "distance": policy.distance,
        "spread": policy.spread,
        "warnings": list(warnings_of(policy)),
        "guarantee": policy.guarantee.to_dict(),
    }


def policy_facts(policy: Policy) -> list[tuple[str, str]]:
    """A policy in a few lines."""
    n, private = policy.gain.shape
    noise = policy.calibration
    level = (
        "none: the release is a constant"
        if noise is None
        else f"level s = {policy.sensitivity:.4g}, scale {noise.scale:.4g}"
    )
    charge = (
        "nothing"
        if noise is None
        else f"epsilon {up(noise.epsilon, 6)}"
        + (f", delta {up(noise.delta, 6)}" if noise.delta else "")
    )
    names = policy.names
    shown = ", ".join(names[:6]) + (f", ... ({len(names)})" if len(names) > 6 else "")
    return [
        ("program", f"{n} variables, {len(policy.program.rows)} inequalities, {private} private"),
        ("released", shown),
        ("noise", level),
        ("follows d", f"by up to {policy.reach.max():.4g} either way over the domain"),
        ("charge", f"{charge} a release, for changes up to {exactly(policy.privacy.alpha)}"),
        ("cost", f"{policy.cost:.6g} expected over the domain"),
        ("loss", f"{100 * policy.loss:.3g}% of the cost without privacy"),
        ("distance", f"{policy.distance:.4g} expected, of the release from the true answer"),
        *(() if policy.spread is None else (("spread", _spread(policy.spread)),)),
    ]


def _spread(spread: float) -> str:
    return f"{spread:.4g}, of the true answers about their mean: the distance of the best constant"


def _print(console: Console, policy: Policy) -> None:
    from privopt.mechanisms.policy_view import judged

    public_mark(console, "Policy")
    console.print(facts(*((name, escape(text)) for name, text in policy_facts(policy))))
    if policy.calibration is None:
        console.print(
            "[yellow]The cheapest private release is a constant: it costs nothing and carries no "
            "information on d.[/] Ask for more with --floor 1, --fidelity or --within."
        )
    elif not policy.follows:
        console.print(
            "[yellow]No released value follows d: a constant with noise, which is charged and "
            "tells nothing.[/] Ask for more with --fidelity or --within, or for less noise."
        )
    for text in judged(policy):
        console.print(f"[yellow]{escape(text)}[/]")
    print_claims(console, policy.guarantee)
