"""Seeds for experiments and verification. A release takes none: its noise comes from `secure`."""

from __future__ import annotations

from typing import cast

import numpy as np

from privopt.errors import InputError

__all__ = ["generator_of"]


def generator_of(rng: object) -> np.random.Generator:
    """A numpy generator from a seed, a generator, or nothing."""
    if isinstance(rng, np.random.Generator):
        return rng
    if rng is None:
        return np.random.default_rng()
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) and rng >= 0:
        return np.random.default_rng(cast("int", rng))
    raise InputError(
        f"rng is {rng!r}.",
        "a whole number of at least 0, a numpy Generator, or None.",
        "pass rng=0 for results that can be repeated.",
    )
