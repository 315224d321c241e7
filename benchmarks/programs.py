"""The programs of the benchmarks: the paper's instance of any PGLib network, as plain matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import privopt as po

ETA, EPSILON, ALPHA = 0.025, 1.0, 0.1
LADDER = ("14_ieee", "39_epri", "57_ieee", "118_ieee", "1354_pegase", "2869_pegase", "9241_pegase")


@dataclass(frozen=True)
class Matrices:
    """What both sides are given: matrices, the query, the noise's deviation, and margins."""

    network: str
    linear: NDArray[np.float64]
    quadratic: NDArray[np.float64]
    A: Any
    b: NDArray[np.float64]
    G: Any
    d: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    released: list[int]

    @property
    def noise_dimensions(self) -> int:
        """Number of released values."""
        return len(self.released)


def matrices(network: str, seed: int = 0) -> Matrices:
    """The paper's random instance of a network: identity query on 30% of the nodes."""
    drawn = po.experiments.instance(network, seed)
    program = drawn.program
    return Matrices(
        network,
        program.linear,
        program.quadratic.diagonal(),
        program.A,
        program.b,
        program.G,
        program.d,
        program.lower,
        program.upper,
        list(drawn.released),
    )
