"""Values q of least mean cost that have a certificate: cuts between the two programs.

    lower bound   the two-stage program, which knows of certificates only the cuts there are
    cut           excess(q) + slope'(q' - q) <= 0, where its q has none

Each is solved by what suits it: many draws of a small program, and one program over all of the
region. The first q with a certificate is the optimum of both together, to the tolerance of the
certificate. On networks it mostly is the first q there is, or the second.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privopt.arrays import Vector
from privopt.solving.problem import Outcome
from privopt.solving.robust.certifying import Certifier, Warrant
from privopt.solving.robust.two_stage import Chosen, TwoStage

__all__ = ["Decided", "decided"]

_CUTS = 60
_PUSH = 3e-7  # of the size of a row: what a cut asks for beyond an excess of zero


@dataclass(frozen=True, repr=False, eq=False)
class Decided:
    """The values, their objective, and the certificate.

    `cuts` is how many it took, and `least` the objective without any.
    """

    chosen: Chosen
    warrant: Warrant
    cuts: int
    least: float


def decided(choice: TwoStage, certifier: Certifier) -> Decided | Outcome:
    """The best q that has a certificate; INFEASIBLE where none has."""
    if not certifier.possible:
        return Outcome.INFEASIBLE
    cuts: list[tuple[Vector, float]] = []
    least = np.inf
    for _ in range(_CUTS):
        chosen = choice.solve(cuts)
        if isinstance(chosen, Outcome):
            return chosen
        warrant = certifier.at(chosen.q)
        if isinstance(warrant, Outcome):
            return warrant
        least = min(least, chosen.value)
        if warrant.holds:
            return Decided(chosen, warrant, len(cuts), least)
        limit = float(warrant.slope @ chosen.q) - warrant.excess - _PUSH
        cuts.append((warrant.slope, limit))
    return Outcome.STALLED
