"""Means over the runs of proven and assumed rows, with all that had no answer, and why."""

from __future__ import annotations

from collections import Counter

from privopt.experiments.policies import MEANS
from privopt.experiments.study import Row, grouped, mean_and_std

__all__ = ["summarise_policies"]

_BEYOND = 1e-6  # relative: an epsilon this far above the claimed one refutes the claim


def summarise_policies(
    rows: list[Row], networks: tuple[str, ...], algorithms: tuple[str, ...], epsilon: float
) -> list[Row]:
    """One row for each network and algorithm from the rows of `measure_case`.

    A mean is over the runs that have an answer; `piqa_mean` is the loss of PIQ-a over those same
    runs (where PIQ-a has one), for a fair comparison.
    """
    printed: dict[str, dict[int, float]] = {}
    for row in rows:
        if row["algorithm"] == "PIQ-a" and row["loss"] is not None:
            printed.setdefault(row["network"], {})[row["run"]] = row["loss"]
    return grouped(
        rows,
        {"network": networks, "algorithm": algorithms},
        lambda runs: _means(runs, epsilon, printed.get(runs[0]["network"], {})),
    )


def _means(runs: list[Row], asked: float, beside: dict[int, float]) -> Row:
    """Means of one algorithm on one network; `beside` is the loss of PIQ-a by run."""
    loss, loss_std = mean_and_std(runs, "loss")
    ended = Counter(row["status"] for row in runs)
    reasons = Counter(row["reason"] for row in runs if row["reason"])
    same = [
        {"loss": beside[row["run"]]}
        for row in runs
        if row["loss"] is not None and row["run"] in beside
    ]
    labels = [row["privacy"] for row in runs if row["privacy"]]
    answered = next((row for row in runs if row["guarantee"]), Row())
    return {
        "privacy": ", ".join(dict.fromkeys(labels)) or None,
        "loss_mean": loss,
        "loss_std": loss_std,
        "piqa_mean": mean_and_std(same, "loss")[0],
        **{f"{name}_mean": mean_and_std(runs, name)[0] for name in MEANS},
        "constant_runs": sum(row["constant"] is True for row in runs),
        **_worst(runs, asked),
        "runs": len(runs),
        "infeasible_runs": ended["infeasible"],
        "failed_runs": ended["failed"],
        "uncertified_runs": ended["not certified"],
        "reasons": [{"reason": text, "runs": count} for text, count in sorted(reasons.items())],
        "guarantee": answered.get("guarantee"),
        "claims": answered.get("claims"),  # journals of 0.1.0 have none
    }


def _worst(runs: list[Row], asked: float) -> Row:
    """The largest epsilon that a search found, and the neighbours that show it."""
    found = [row for row in runs if row["epsilon"] is not None]
    if not found:
        return {"epsilon_mean": None, "epsilon_max": None, "beyond_runs": None, "witness": None}
    worst = max(found, key=lambda row: row["epsilon"])
    witness = {name: worst[name] for name in ("run", "entry", "step", "moved")}
    return {
        "epsilon_mean": mean_and_std(found, "epsilon")[0],
        "epsilon_max": worst["epsilon"],
        "beyond_runs": sum(row["epsilon"] > asked * (1 + _BEYOND) for row in found),
        "witness": witness,
    }
