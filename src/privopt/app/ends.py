"""The domain that a job names beside the one that a policy or measurement was made with.

The ends of a domain lie on a grid in a file: they may be off by its step.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privopt.arrays import Vector

__all__ = ["ROUNDING", "differing_domain"]

ROUNDING = 1e-6  # of alpha: the ends of a domain lie on a grid finer than that
_CLOSE = 1e-9  # numbers that were computed twice


def differing_domain(
    given: tuple[Vector, Vector],
    kept: tuple[Vector, Vector],
    grain: float,
    names: Sequence[str],
    what: str,
) -> str | None:
    """Where two domains of the same entries differ, in words; None: nowhere.

    `grain` is the smallest alpha, `what` the domain is kept in.
    """
    off = [
        np.abs(mine - theirs) > ROUNDING * grain + _CLOSE * np.abs(theirs)
        for mine, theirs in zip(given, kept, strict=True)
    ]
    wrong = np.flatnonzero(off[0] | off[1])
    if not len(wrong):
        return None
    at = int(wrong[0])
    mine, theirs = (f"{ends[0][at]:.10g} to {ends[1][at]:.10g}" for ends in (given, kept))
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return f"the domain of {names[at]} is {mine} in the job, {theirs} in the {what}{more}"
