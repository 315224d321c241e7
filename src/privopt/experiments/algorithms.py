"""The algorithms of the tables by name: the paper's, and what privopt adds beside them.

| name | what it is |
|---|---|
| OP | output perturbation: noise on the answer |
| PIQ-a, PSQ-a | margins for each row from unimodality, the paper's analytic reformulation |
| PIQ-s, PSQ-s | the paper's samples: a box of samples, or 1000 plain scenarios above 12 values |
| exact margins | each row with its exact quantile |
| exact box | the box of mass 1 - eta, no samples |
| sampled box | the paper's box of samples where PIQ-s is plain scenarios |
| joint factor | one factor for all rows, calibrated and certified jointly |
| measured | measure sums of d, then decide: Table 1 alone; its loss is one after completion |
"""

from __future__ import annotations

from privopt.errors import InputError
from privopt.feasibility import Analytic, ExactBox, Joint, SampledBox, Scenario
from privopt.feasibility.protocol import Feasibility

__all__ = ["ADDED", "MEASURED", "OUTPUT", "applies", "check_algorithms", "corners", "feasibility"]

OUTPUT = "OP"
MEASURED = "measured"
ANALYTIC = ("PIQ-a", "PSQ-a")
SAMPLES = ("PIQ-s", "PSQ-s")
ADDED = ("exact margins", "exact box", "sampled box", "joint factor")
CORNERS = 12  # the authors enumerated the 2^p corners of a box up to about here
SCENARIOS = 1000  # and took this many plain scenarios above


def corners(p: int) -> bool:
    """Whether the paper's sample method is a box of samples for p released values."""
    return p <= CORNERS


def applies(name: str, *, boxes: bool) -> bool:
    """Whether an algorithm has a row of its own: "sampled box" not where PIQ-s is that box."""
    return name != "sampled box" or not boxes


def feasibility(name: str, *, boxes: bool, eta: float, beta: float) -> Feasibility:
    """How an algorithm keeps the inequalities; `boxes`: the paper's samples span a box."""
    if name in ANALYTIC:
        return Analytic(eta=eta, margin="unimodal")
    if name in SAMPLES and not boxes:
        return Scenario(eta=eta, beta=beta, samples=SCENARIOS)
    if name in SAMPLES or name == "sampled box":
        return SampledBox(eta=eta, beta=beta)
    if name == "exact margins":
        return Analytic(eta=eta)
    if name in ("exact box", MEASURED):
        return ExactBox(eta=eta)
    return Joint(eta=eta, beta=beta)


def check_algorithms(names: tuple[str, ...], known: tuple[str, ...]) -> None:
    """Refuse a name that is not among the known ones."""
    for name in names:
        if name not in known:
            raise InputError(
                f"{name!r} is no algorithm of this table.",
                f"some of: {', '.join(known)}.",
                "leave --algorithms out to run all of them.",
            )
