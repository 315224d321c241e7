"""The algorithms as a reader meets them: a sign, a colour, and a line on what each promises.

One sign and one colour for each algorithm, the same in every table and plot. The shape says what is
promised as well: a cross for nothing, an open sign for each limit alone, a full sign for all limits
together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from privopt.claims.guarantee import Scope
from privopt.report.records import Claimed

__all__ = ["Method", "Promise", "groups", "method", "promise"]


class Promise(StrEnum):
    """What an algorithm says of the inequalities."""

    UNKNOWN = "promise not known"
    NONE = "no promise"
    EACH = "each limit alone"
    ALL = "all limits together"


@dataclass(frozen=True)
class Method:
    """How an algorithm is shown."""

    name: str
    colour: str
    symbol: str
    promise: Promise
    idea: str
    ours: bool = True

    @property
    def css(self) -> str:
        """The colour as a CSS variable, which both themes define."""
        return f"var(--{self.colour})"


def method(name: str) -> Method:
    """The algorithm of that name; an unknown one gets a plain sign."""
    return KNOWN.get(name) or Method(name, "other", "hexagon-open", Promise.UNKNOWN, "")


def promise(name: str, claims: tuple[Claimed, ...]) -> Promise:
    """What a row promises of the limits: by the last of its claims, else by its algorithm."""
    last = claims[-1] if claims else None
    if last is not None and last.word == "NO CLAIM":
        return Promise.NONE
    scopes = {Scope.ROW.value: Promise.EACH, Scope.JOINT.value: Promise.ALL}
    return scopes.get(last.scope if last else "") or method(name).promise


def groups(names: Iterable[str]) -> tuple[tuple[Method, str], ...]:
    """The algorithms among `names`, known ones in our order; PIQ-a and PSQ-a share a place."""
    order = {name: k for k, name in enumerate(KNOWN)}
    found: dict[str, list[str]] = {}
    for name in sorted(dict.fromkeys(names), key=lambda name: order.get(name, len(order))):
        how = method(name)
        found.setdefault(how.colour if name in KNOWN else name, []).append(name)
    return tuple((method(twins[0]), ", ".join(twins)) for twins in found.values())


_METHODS = (
    Method("OP", "op", "cross", Promise.NONE, "Noise added to the finished answer.", ours=False),
    Method(
        "PIQ-a",
        "analytic",
        "dot-open",
        Promise.EACH,
        "Noise inside the program; each limit keeps a margin that fits every unimodal law.",
        ours=False,
    ),
    Method(
        "PIQ-s",
        "sampled",
        "square",
        Promise.ALL,
        "Noise inside the program; all limits hold on sampled noise.",
        ours=False,
    ),
    Method(
        "exact margins",
        "exact",
        "diamond-open",
        Promise.EACH,
        "As PIQ-a or PSQ-a, with the exact quantile of the noise as margin.",
    ),
    Method(
        "exact box",
        "box",
        "diamond",
        Promise.ALL,
        "All limits hold on a box of noise of known probability.",
    ),
    Method(
        "sampled box",
        "sampledbox",
        "triangle",
        Promise.ALL,
        "All limits hold on a box drawn round sampled noise, as the paper describes.",
    ),
    Method(
        "joint factor",
        "joint",
        "star",
        Promise.ALL,
        "One factor on all margins, made as small as fresh draws of noise certify.",
    ),
    Method(
        "measured",
        "measured",
        "pentagon",
        Promise.ALL,
        "Noise on sums of the private data; the values are decided from these in public. Its loss "
        "is one after completion, at the true data; that of the others is of the affine solution.",
    ),
)
KNOWN = {item.name: item for item in _METHODS}
# The sum queries of Table 2 are the same two methods under another name.
KNOWN |= {twin: replace(KNOWN[f"PIQ{twin[3:]}"], name=twin) for twin in ("PSQ-a", "PSQ-s")}
