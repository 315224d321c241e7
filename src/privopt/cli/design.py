"""`privopt design`: a policy from public data, private for every pair of neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privopt.cli.choosing import kept_in, with_sums
from privopt.cli.flags import Asked, with_job
from privopt.cli.output import OVERWRITE, output
from privopt.cli.streams import JSON, chatter, escape, print_json, results
from privopt.cli.view import print_view
from privopt.digits import finite

if TYPE_CHECKING:
    from privopt.mechanisms.policy import Policy

__all__ = ["design"]


@with_job(without=("data", "objective", "repeat", "ledger"))
def design(asked: Asked, *, overwrite: OVERWRITE = False, as_json: JSON = False) -> None:
    """Design a policy: what to release for any data of a public domain.

    Reads no private data. --out writes it as JSON; `privopt release --policy` releases by it, as
    often as the budget allows. Exit code 3 if no policy keeps the limits.

    Example: privopt design job.toml --out policy.json
    """
    from privopt.app.making import designed
    from privopt.kernel import wire

    job = asked.job()
    out = job.out("policy")
    with output(out, overwrite=overwrite, inputs=(*job.inputs, kept_in(job, out))) as place:
        job = with_sums(job, out)
        with chatter().status("designing"):
            policy = designed(job)
        place.write(wire.text(policy, indent=2) + "\n")
    if as_json:
        print_json({**_plain(policy), "policy": out})
        return
    console = results()
    print_view(console, policy.view())
    if out is not None:
        console.print(f"Policy: [bold]{escape(out)}[/]", soft_wrap=True)
    else:
        chatter().print("[dim]Not saved: --out policy.json keeps it.[/]")


def _plain(policy: Policy) -> dict[str, Any]:
    from privopt.claims.estimate import estimate_to_dict

    noise = policy.calibration
    return {
        "private": False,
        "released": list(policy.names),
        "constant": noise is None,
        "level": policy.sensitivity,
        "reach": policy.reach.tolist(),
        **{name: getattr(noise, name, 0.0) for name in ("epsilon", "delta", "scale")},
        "cost": policy.cost,
        "loss": finite(policy.loss),
        "completed_loss": estimate_to_dict(policy.completed_loss),
        "distance": policy.distance,
        "spread": policy.spread,
        "worth": None if policy.worth is None else policy.worth.to_dict(),
        "warnings": list(policy.view().warnings),
        "guarantee": policy.guarantee.to_dict(),
    }
