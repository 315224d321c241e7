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

from privopt.app.advising import Advice
from privopt.arrays import Dense, Vector
from privopt.claims.estimate import Estimate, MeanEstimate
from privopt.claims.guarantee import Claim, Guarantee
from privopt.claims.worth import Worth
from privopt.digits import finite
from privopt.kernel.instrument import Instrument
from privopt.ledger import Budget
from privopt.mechanisms.measured.decision import Decision
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.policy import Policy
from privopt.model.program import ConvexProgram
from privopt.noise.calibration import Calibration
from privopt.web.drawn import Diagram, flows

__all__ = [
    "advised", "candidates_of", "decision_parts", "failures_of", "plan_parts", "policy_parts",
    "worth_of",
]  # fmt: skip

_TAIL = 0.025  # on either side: 95% of the noise lies between
_LITTLE = 0.1  # of what varies: less is little for its price


def decision_parts(decision: Decision, instrument: Instrument, drawn: Diagram) -> dict[str, Any]:
    """What a decision at the middle of the domain shows."""
    program, one = decision.program, decision.certificate
    noise = instrument.calibration
    shown: dict[str, Any] = {
        "answer": _answer(
            decision.names, decision.values, np.zeros(len(decision.values)), decision.worth,
            constant=noise is None,
        ),
        "claims": _claims(decision.guarantee),
        "charge": _charge(instrument).to_dict(),
        "measured": {
            "names": list(instrument.names),
            "noise": None if noise is None else _quantile(noise, np.eye(noise.size)[0]),
        },
        "worth": worth_of(decision.worth, decision.completed_loss),
    }  # fmt: skip
    if one is not None:
        region = one.region
        kept = np.arange(program.n) if len(one.z0) == program.n else decision_columns(decision)
        shown["map"] = _map(
            program, drawn, kept, one.z0, one.dense, None, region.middle, region.half, noise
        )
    return shown


def decision_columns(decision: Decision) -> Any:  # noqa: ANN401 -- positions
    """The variables that a certificate is about: all but those that only price."""
    return np.setdiff1d(np.arange(decision.program.n), decision.program.auxiliary)


def policy_parts(policy: Policy, drawn: Diagram) -> dict[str, Any]:
    """What a policy shows, at the middle of the domain."""
    low, high = policy.domain
    Z = np.asarray(policy.recourse)
    released = policy.recourse.under(policy.S)
    noise = policy.unit if policy.calibration is not None else None
    spread = np.zeros(len(policy.names))
    if noise is not None:
        spread = np.array([_quantile(noise, row) for row in released])
    values = np.asarray(policy.S @ policy.offset)
    return {
        "answer": _answer(policy.names, values, spread, policy.worth, constant=noise is None),
        "claims": _claims(policy.guarantee),
        "charge": policy.request.charge.to_dict(),
        "worth": worth_of(policy.worth, None),
        "map": _map(
            policy.program, drawn, np.arange(policy.program.n), policy.offset, policy.gain,
            None if noise is None else Z, 0.5 * (low + high), 0.5 * (high - low), noise,
        ),
    }  # fmt: skip


def plan_parts(plan: Plan, drawn: Diagram, *, where: str) -> dict[str, Any]:
    """What the paper's plan shows for public data; never for the private ones."""
    noise = plan.calibration
    released = plan.recourse.under(plan.S)
    spread = np.array([_quantile(noise, row) for row in released])
    values = np.asarray(plan.S @ plan.expected)
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
            **_NO_WORTH,
            "distance": finite(plan.distance),
            **_cost(plan.completed_loss),
        },
        "map": _map(
            plan.program, drawn, np.arange(plan.program.n), plan.expected, None,
            np.asarray(plan.recourse), nothing, nothing, noise,
        ),
    }  # fmt: skip


_NO_WORTH: dict[str, Any] = {
    "distance": None, "constant_distance": None, "spread": None, "tells": None, "verdict": None,
    "sentence": None, "loss": None, "loss_interval": None, "constant_loss": None,
    "failures": None, "failures_interval": None, "failures_allowed": None, "provenance": "SAMPLED",
}  # fmt: skip


def worth_of(worth: Worth | None, loss: MeanEstimate | None) -> dict[str, Any]:
    """What values tell, and what they cost once the rest is optimised again."""
    if worth is None:
        return {**_NO_WORTH, **_cost(loss)}
    tells = worth.tells
    verdict = "nothing" if not tells > 0.001 else "little" if tells < _LITTLE else "useful"
    if worth.epsilon == 0 and not worth.varies:
        verdict = "nothing"
    return {
        **_NO_WORTH,
        "distance": finite(worth.distance),
        "constant_distance": finite(worth.spread),
        "spread": finite(worth.spread),
        "tells": finite(tells),
        "verdict": verdict,
        "sentence": f"The values tell {worth.verdict}.",
        "drop": list(worth.drop),
        "epsilon_for_half": worth.epsilon_for(),
        **_cost(loss),
    }


def _cost(loss: MeanEstimate | None) -> dict[str, Any]:
    if loss is None:
        return {}
    low, high = loss.interval
    return {"loss": finite(loss.value), "loss_interval": [finite(low), finite(high)]}


def failures_of(failed: Estimate, allowed: float | None) -> dict[str, Any]:
    """The share of simulated releases that cannot be completed, beside what is allowed."""
    low, high = failed.interval
    return {
        "failures": finite(failed.value),
        "failures_interval": [finite(low), finite(high)],
        "failures_allowed": allowed,
    }


def advised(advice: Advice) -> dict[str, Any]:
    """Worth and front of an instrument that was simulated."""
    curve = advice.instrument.curve
    points = () if curve is None else curve.points
    told: dict[float, dict[str, Any]] = {
        one.epsilon: {"epsilon": one.epsilon, "distance": one.distance, "loss": one.loss}
        for one in points
    }
    epsilon = advice.instrument.privacy.epsilon if advice.measures else 0.0
    here, constant = told.get(epsilon), told.get(0.0)
    own = next((one for one in points if one.epsilon == epsilon), None)
    worth = worth_of(advice.worth, None)
    worth["sentence"] = advice.verdict
    worth["loss"] = None if here is None else here["loss"]
    if own is not None and own.loss is not None and own.loss_error is not None:
        off = 2.58 * own.loss_error  # 99%, as the other intervals
        worth["loss_interval"] = [max(0.0, own.loss - off), own.loss + off]
    worth["constant_loss"] = None if constant is None else constant["loss"]
    worth["constant_distance"] = None if constant is None else constant["distance"]
    return {
        "worth": worth,
        "front": {
            "points": [point for value, point in told.items() if value > 0],
            "here": here,
            "constant": None
            if constant is None
            else {"distance": constant["distance"], "loss": constant["loss"]},
        },
        "keep": list(advice.keep),
        "leave_out": list(advice.leave_out),
    }


def candidates_of(instrument: Instrument) -> list[dict[str, Any]]:
    """What was chosen from, best first; `sums` is the flag that asks for it, where there is one."""
    found: dict[str, Any] = instrument.comparison or {}
    return [
        {
            "name": row["candidate"],
            "count": row["sums"],
            "sums": _sums(row["candidate"], instrument, found.get("chosen")),
            "loss": row.get("loss"),
            "distance": row.get("distance"),
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


def _answer(
    names: tuple[str, ...], values: Vector, noise: Vector, worth: Worth | None, *, constant: bool
) -> dict[str, Any]:
    errors = None if worth is None or len(worth.errors) != len(names) else worth.errors
    return {
        "names": list(names),
        "values": _numbers(values),
        "noise": _numbers(noise),
        "error": [None] * len(names) if errors is None else _numbers(errors),
        "constant": constant,
    }


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
        if noise is None or Z is None
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
    return kernel.request(kernel.identity or ("", "")).charge


def _numbers(values: Any) -> list[float | None]:  # noqa: ANN401 -- a vector
    """Numbers with the digits that a picture needs; None where one is not finite."""
    return [finite(float(f"{value:.9g}")) for value in np.asarray(values, dtype=float).tolist()]
