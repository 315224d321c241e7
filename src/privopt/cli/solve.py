"""`privopt solve`: a plan for the data at hand, and what it costs. For the curator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table

from privopt.cli.flags import Asked, with_job
from privopt.cli.streams import JSON, chatter, escape, finite, print_json, results
from privopt.cli.view import facts, print_claims, private_mark, whose_data

if TYPE_CHECKING:
    from privopt.mechanisms.plan import Plan

__all__ = ["solve"]

_ROWS = 5  # the tightest, that are shown


@with_job("program", "data", "query", "privacy", "feasibility", "objective", "repeat", "settings")
def solve(asked: Asked, *, as_json: JSON = False) -> None:
    """Solve for a plan: cost, loss, margins and claims, for the curator.

    Nothing is released and nothing is charged. Exit code 3 if there is no plan; --reveal says why.

    Example: privopt solve job.toml --epsilon 0.5
    """
    from privopt.app.job import solved

    job = asked.job()
    with chatter().status("solving"):
        plan = solved(job)
        rows = _tightest(plan)
    whose_data(job)
    if as_json:
        print_json(_plain(plan, rows))
    else:
        _print(results(), plan, rows)


def _tightest(plan: Plan) -> list[tuple[str, float, float]]:
    """The rows with the least room for noise: name, room, and standard deviation of the row."""
    import numpy as np

    rows = plan.program.rows
    room = rows.bound - np.asarray(rows.matrix @ plan.expected)
    moved = np.linalg.norm(plan.recourse.under(rows.matrix), axis=1)
    deviation = plan.calibration.deviation * moved
    size = np.abs(rows.bound) + np.asarray(abs(rows.matrix) @ np.abs(plan.expected))
    moving = np.flatnonzero(deviation > 1e-9 * np.maximum(size, 1e-300))
    order = moving[np.argsort(room[moving] / deviation[moving], kind="stable")]
    return [(rows.names[i], float(room[i]), float(deviation[i])) for i in order[:_ROWS]]


def _plain(plan: Plan, rows: list[tuple[str, float, float]]) -> dict[str, Any]:
    noise = plan.calibration
    return {
        "private": True,
        "variables": plan.program.n,
        "released": list(plan.query.names(plan.program)),
        "cost": plan.cost,
        "optimal_cost": plan.optimum.cost,
        "loss": finite(plan.loss),
        "cost_deviation": plan.cost_deviation,
        "solution_deviation": plan.solution_deviation,
        "noise": {
            "scale": noise.scale,
            "sensitivity": noise.sensitivity,
            "tries": noise.tries,
            "epsilon": noise.epsilon,
            "delta": noise.delta,
        },
        "tightest": [
            {"row": name, "room": room, "deviation": deviation} for name, room, deviation in rows
        ],
        "guarantee": plan.guarantee.to_dict(),
    }


def _print(console: Console, plan: Plan, rows: list[tuple[str, float, float]]) -> None:
    noise, program = plan.calibration, plan.program
    private_mark(console, "Plan")
    names = plan.query.names(program)
    shown = ", ".join(names[:6]) + (f", ... ({len(names)})" if len(names) > 6 else "")
    tries = f", {noise.tries} tries" if noise.tries > 1 else ""
    console.print(
        facts(
            ("program", f"{program.n} variables, {len(program.rows)} inequalities, "
                        f"{len(program.private)} private entries"),
            ("released", escape(shown)),
            ("noise", f"{escape(plan.privacy.describe())}, scale {noise.scale:.4g}{tries}"),
            ("cost", f"{plan.cost:.6g} expected; {plan.optimum.cost:.6g} without privacy"),
            ("loss", f"[bold]{100 * plan.loss:.3g}%[/]"),
            ("deviation", f"of the cost {plan.cost_deviation:.4g} (linear part), of the solution "
                          f"{plan.solution_deviation:.4g}"),
        )
    )  # fmt: skip
    if rows:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="Limits with the least room")
        table.title_justify = "left"
        table.add_column("limit", overflow="fold")
        for heading in ("room", "deviation", "ratio"):
            table.add_column(heading, justify="right", no_wrap=True)
        for name, room, deviation in rows:
            numbers = (f"{room:.4g}", f"{deviation:.4g}", f"{room / deviation:.2f}")
            table.add_row(escape(name), *numbers)
        console.print(table)
    print_claims(console, plan.guarantee)
    chatter().print("[dim]Release it with: privopt release, with a ledger that counts it.[/]")
