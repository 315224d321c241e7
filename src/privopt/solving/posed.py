"""A program, a query and noise as an affine model in scaled variables (`scaled`).

Noise is counted in a unit of its own, its size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Sparse, Vector
from privopt.noise.calibration import Calibration
from privopt.solving.directions import Directions
from privopt.solving.equilibration import scaled
from privopt.solving.particular import Particular
from privopt.solving.program import Objective, Program
from privopt.solving.scaled import ScaledProgram
from privopt.solving.scaling import Scaling

__all__ = ["conditions", "posed"]


def posed(
    program: Program,
    S: Sparse,
    calibration: Calibration,
    scaling: Scaling,
    particular: Particular,
    target: Vector,
    objective: Objective | None = None,
    still: NDArray[np.bool_] | None = None,
) -> ScaledProgram:
    """The affine model of a plan."""
    A, G = scaling.rows(program.rows.matrix), scaling.independent(program)
    linear, quadratic = scaling.linear(program.linear), scaling.quadratic(program.quadratic)
    unit = calibration.scale
    energy = scaling.kappa * particular.energy * unit**2
    nu = unit * float((particular.largest / scaling.columns).max()) or 1.0
    ways = Directions.of(A)
    norms = (unit / nu) * scaling.row_factors * particular.row_norms
    deviation = None if objective is None else objective.deviation(program, S.shape[0])
    L, T = (None, None) if deviation is None else deviation
    return ScaledProgram(
        linear=linear,
        quadratic=quadratic,
        A=A,
        directions=ways,
        G=G,
        d=scaling.targets(target)[program.independent],
        C=conditions(program, S, scaling),
        particular=particular,
        units=unit / (nu * scaling.columns),
        norms=norms[ways.lead],
        nu=nu,
        energy=energy / nu**2,
        variance=calibration.law.variance,
        phi=0.0 if objective is None else objective.phi,
        L=None if L is None else scaling.cost_map(L),
        T=T,
        still=None if still is None else np.flatnonzero(still.T.ravel()),
    )


def conditions(program: Program, S: Sparse, scaling: Scaling) -> Sparse:
    """[G; S] in scaled variables, each row in units of its own."""
    query = scaled(S, scaling.columns, scaling.query_factors(S))
    C: Any = sp.vstack([scaling.independent(program), query], format="csr")
    return C
