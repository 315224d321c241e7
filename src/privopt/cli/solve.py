"""`privopt solve`: a plan for the data at hand, and what it costs. For the curator."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from privopt.cli.flags import Asked, with_job
from privopt.cli.streams import JSON, chatter, print_json, results
from privopt.cli.view import print_view, whose_data
from privopt.digits import finite

if TYPE_CHECKING:
    from privopt.mechanisms.plan import Plan
    from privopt.show.view import Table

__all__ = ["solve"]


@with_job(without=("domain", "design", "ledger", "output"))
def solve(asked: Asked, *, as_json: JSON = False) -> None:
    """Solve for a plan: cost, loss, margins and claims, for the curator.

    Nothing is released and nothing is charged. Exit code 3 if there is no plan; --reveal says why.

    Example: privopt solve job.toml --epsilon 0.5
    """
    from privopt.app.making import solved
    from privopt.app.verifying import tightest

    job = asked.job()
    with chatter().status("solving"):
        plan = solved(job)
        rows = tightest(plan)
    whose_data(job)
    if as_json:
        print_json(_plain(plan, rows))
        return
    print_view(results(), replace(plan.view(), table=rows))
    chatter().print("[dim]Release it with: privopt release, with a ledger that counts it.[/]")


def _plain(plan: Plan, rows: Table) -> dict[str, Any]:
    from privopt.claims.estimate import estimate_to_dict

    return {
        "private": True,
        "variables": plan.program.n,
        "released": list(plan.query.names(plan.program)),
        "cost": plan.cost,
        "optimal_cost": plan.optimum.cost,
        "loss": finite(plan.loss),
        "completed_loss": estimate_to_dict(plan.completed_loss),
        "distance": plan.distance,
        "cost_deviation": plan.cost_deviation,
        "solution_deviation": plan.solution_deviation,
        "noise": {
            name: getattr(plan.calibration, name)
            for name in ("scale", "sensitivity", "tries", "epsilon", "delta")
        },
        "tightest": [
            {"row": name, "room": float(room), "deviation": float(deviation)}
            for name, room, deviation, _ in zip(rows.rows, *rows.columns.values(), strict=True)
        ],
        "guarantee": plan.guarantee.to_dict(),
    }
