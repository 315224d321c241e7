"""Which private entries a release clamps, because they lie outside of the policy's domain.

What is said here depends on d: it is for the curator, and only where the curator asks.
"""

from __future__ import annotations

import numpy as np

from privopt.arrays import Vector
from privopt.foreign import some
from privopt.mechanisms.policy import Policy

__all__ = ["ROUNDING", "clamping"]

ROUNDING = 1e-6  # of alpha: the ends of the domain lie on a grid finer than that


def clamping(policy: Policy, d: Vector) -> str:
    """How many entries are clamped, and which, in words. Private."""
    lower, upper = policy.domain
    private = d[policy.program.private]
    beyond = np.maximum(lower - private, private - upper)
    names = list(policy.program.private_names)
    outside = [names[k] for k in np.flatnonzero(beyond > ROUNDING * policy.privacy.alpha)]
    if not outside:
        return f"No private entry of {len(names)} lies outside of the domain."
    return (
        f"{len(outside)} of {len(names)} private entries lie outside of the domain and are clamped "
        f"to it: {some(outside, 10)}"
    )
