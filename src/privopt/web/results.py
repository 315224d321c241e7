"""What a design comes to, as the browser needs it: plain data for JSON, all of it public.

    answer    the values, their noise, how far off they are
    map       z = z0 + K u + Z xi, so that the browser itself moves demand and noise
    worth     what the values tell, beside a constant; the cost; the failures
    claims    privacy and feasibility, each with how it is known

Of a decision K is the rule of its certificate (S K = 0: the released values do not move), and there
is no Z. A plan has no K: it was made for one d, here the public loads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.claims.guarantee import Claim, Guarantee
from privopt.claims.terms import FeasibilityTerms
from privopt.digits import finite
from privopt.kernel.instrument import Instrument
from privopt.ledger import Budget
from privopt.mechanisms.measured.decision import Decision
from privopt.mechanisms.plan import Plan
from privopt.model.program import ConvexProgram
from privopt.noise.calibration import Calibration
from privopt.web.drawn import Diagram, flows
from privopt.web.grain import settled, settled_all, size_of
from privopt.web.worth import NO_WORTH, cost_of, worth_of

__all__ = [
    "candidates_of", "decision_parts", "decision_size", "eta_of", "plan_parts",
]  # fmt: skip

_TAIL = 0.025  # on either side: 95% of the noise lies between


def decision_parts(decision: Decision, instrument: Instrument, drawn: Diagram) -> dict[str, Any]:
    """What a decision at the middle of the domain shows."""
    program, one = decision.program, decision.certificate
    noise, size = instrument.calibration, decision_size(decision)
    errors = decision.worth.errors
    shown: dict[str, Any] = {
        "answer": {
            "names": list(decision.names),
            "values": _numbers(settled_all(decision.values, size)),
            "noise": [0.0] * len(decision.values),
            "error": _numbers(settled_all(errors, size))
            if len(errors) == len(decision.names) else [None] * len(decision.names),
            "constant": noise is None,
        },
        "claims": _claims(decision.guarantee),
        "charge": _charge(instrument).to_dict(),
        "measured": {
            "names": list(instrument.names),
            "noise": None if noise is None else _quantile(noise, np.eye(noise.size)[0]),
            "eta": eta_of(decision.guarantee),
        },
        "worth": worth_of(decision.worth, decision.completed_loss, size),
    }  # fmt: skip
    if one is not None:
        region, kept = one.region, decision_columns(decision)
        shown["map"] = _map(
            program, drawn, kept, settled_all(one.z0, size), one.dense, None, region.middle,
            region.half, None,
        )  # fmt: skip
    return shown


def decision_columns(decision: Decision) -> Any:  # noqa: ANN401 -- positions
    """The variables that a certificate is about: all, or all but those that only price."""
    program, one = decision.program, decision.certificate
    every = np.arange(program.n)
    whole = one is None or len(one.z0) == program.n
    return every if whole else np.setdiff1d(every, program.auxiliary)


def decision_size(decision: Decision) -> float:
    """The size beside which a value of a decision is nothing."""
    one = decision.certificate
    if one is None:
        return float(np.abs(decision.values).max(initial=0.0))
    return size_of(decision.program, one.z0, decision_columns(decision))


def eta_of(guarantee: Guarantee) -> float | None:
    """The chance with which a limit may break, where there is one."""
    terms = guarantee.feasibility.terms
    eta = terms.eta if isinstance(terms, FeasibilityTerms) else None
    return None if eta is None else float(eta)


def plan_parts(plan: Plan, drawn: Diagram, *, where: str) -> dict[str, Any]:
    """What the paper's plan shows for public data; never for the private ones."""
    noise = plan.calibration
    released = plan.recourse.under(plan.S)
    spread = np.array([_quantile(noise, row) for row in released])
    size = size_of(plan.program, plan.expected)
    values = settled_all(np.asarray(plan.S @ plan.expected), size)
    names = plan.query.names(plan.program)
    nothing = np.zeros(0)
    return {
        "answer": {
            "names": list(names),
            "values": _numbers(values),
            "noise": _numbers(spread),
            "error": _numbers(plan.errors),
            "constant": False,
        },
        "claims": _claims(plan.guarantee),
        "charge": plan.request.charge.to_dict(),
        "note": f"ASSUMED: the paper's claim, which is not proven. This plan is for {where}; the "
        "one that is released is solved for the private data.",
        "worth": {
            **NO_WORTH,
            "distance": finite(plan.distance),
            **cost_of(plan.completed_loss),
        },
        "map": _map(
            plan.program, drawn, np.arange(plan.program.n), plan.expected, None,
            np.asarray(plan.recourse), nothing, nothing, noise,
        ),
    }  # fmt: skip


def candidates_of(instrument: Instrument, size: float = 0.0) -> list[dict[str, Any]]:
    """What was chosen from, best first; `sums` is the flag that asks for it, where there is one."""
    found: dict[str, Any] = instrument.comparison or {}
    return [
        {
            "name": row["candidate"],
            "count": row["sums"],
            "sums": _sums(row["candidate"], instrument, found.get("chosen")),
            "loss": settled(row.get("loss")),
            "distance": settled(row.get("distance"), size),
            "without": row.get("without"),
            "chosen": row["candidate"] == found.get("chosen"),
        }
        for row in found.get("candidates", ())
    ]


def _sums(name: str, instrument: Instrument, chosen: str | None) -> str | None:
    if name in ("total", "each", "nothing"):
        return name
    W = instrument.W
    if name != chosen or not np.isin(W, (0.0, 1.0)).all() or not len(W):
        return None
    entries = instrument.entries
    return ";".join(",".join(entries[int(j)] for j in np.flatnonzero(row)) for row in W)


def _map(
    program: ConvexProgram,
    drawn: Diagram,
    kept: Any,  # noqa: ANN401 -- positions of the variables that are shown
    z0: Vector,
    K: Dense | None,
    Z: Dense | None,
    middle: Vector,
    half: Vector,
    noise: Calibration | None,
) -> dict[str, Any]:
    lines = flows(drawn, program)
    place = {int(j): k for k, j in enumerate(kept)}
    rows = lines["rows"]
    shown = [k for k, j in enumerate(rows["j"]) if j in place]
    lines["rows"] = {
        "i": [rows["i"][k] for k in shown],
        "j": [place[rows["j"][k]] for k in shown],
        "v": [rows["v"][k] for k in shown],
    }
    return {
        "variables": [program.names[int(j)] for j in kept],
        "z0": _numbers(z0),
        "K": None if K is None else [_numbers(row) for row in K],
        "Z": None if Z is None else [_numbers(row) for row in Z],
        "private": {
            "names": [] if K is None else list(program.private_names),
            "middle": _numbers(middle),
            "half": _numbers(half),
        },
        "noise": None
        if noise is None
        else {
            "law": type(noise.law).__name__.removesuffix("Law").lower(),
            "scale": noise.scale,
            "quantile95": _quantile(noise, np.eye(noise.size)[0]),
        },
        "lines": lines,
    }


def _quantile(noise: Calibration, row: Vector) -> float:
    """The half-width that 95% of a'xi stays in."""
    if not np.any(row):
        return 0.0
    found, _ = noise.law.quantile(np.atleast_2d(row), np.array([_TAIL]))
    return noise.scale * float(found[0])


def _claims(guarantee: Guarantee) -> dict[str, Any]:
    return {"privacy": _claim(guarantee.privacy), "feasibility": _claim(guarantee.feasibility)}


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "statement": claim.statement,
        "provenance": claim.provenance.value,
        "label": claim.label,
        "because": list(claim.grounds),
        "scope": claim.scope.value,
    }


def _charge(instrument: Instrument) -> Budget:
    kernel = instrument.kernel
    if instrument.calibration is None:
        return Budget(0)
    return kernel.request().charge


def _numbers(values: Any) -> list[float | None]:  # noqa: ANN401 -- a vector
    """Numbers with the digits that a picture needs; None where one is not finite."""
    return [finite(float(f"{value:.9g}")) for value in np.asarray(values, dtype=float).tolist()]
