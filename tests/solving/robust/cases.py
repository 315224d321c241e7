"""A random case in the units in which it is solved, for tests against plain models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.equilibration import scaled
from privopt.solving.robust.certifying import Certifier
from privopt.solving.robust.condensed import Condensed
from privopt.solving.scaling import Scaling


@dataclass(frozen=True)
class Scaled:
    """The condensed program of a case, its query, and how its equalities follow the data."""

    scaling: Scaling
    small: Condensed
    query: Sparse
    unit: Vector
    middle: Vector
    F: Dense

    @classmethod
    def of(cls, program: Any, S: Dense, middle: Vector) -> Scaled:
        scaling = Scaling.of(program, program.right_hand_side(middle))
        small = Condensed(program, scaling)
        matrix = sp.csr_array(S)
        unit = scaling.query_factors(matrix)
        return cls(
            scaling, small, scaled(matrix, scaling.columns, unit), unit,
            small.targets(program.right_hand_side(middle)),
            np.diag(scaling.equality_factors)[program.independent][:, program.private],
        )  # fmt: skip

    def certifier(self, region: Any) -> Certifier:
        return Certifier(self.small, self.query, region, self.middle, self.F)
