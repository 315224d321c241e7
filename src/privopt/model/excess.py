"""How much more a solution costs than the optimum, as a fraction.

    loss = (cost - optimal) / |optimal|

Where the optimum costs next to nothing beside what its cost is made of,

    |c0| + sum |c_i z_i| + |z|'|C2||z|

(income that pays for expenses), |optimal| is rounding: the loss is then a fraction of that sum.
Where the sum is rounding too (an optimum whose costly variables are all zero), it is the same sum
for variables of the size that the data and their bounds give them.
"""

from __future__ import annotations

import numpy as np

from privopt.arrays import Vector
from privopt.model.program import ConvexProgram
from privopt.solving.scaling import Scaling, worth

__all__ = ["loss_scale"]

_NOTHING = 1e-6  # of what a cost is made of: the accuracy it is computed to
_ZERO = 1e-11  # of what it would be made of: what a solver leaves of zeros


def loss_scale(program: ConvexProgram, target: Vector, optimal: float, size: float) -> float:
    """What an excess over an optimum is a fraction of, |optimal| as a rule.

    `size` is what the optimum at the right-hand side `target` is `worth`, there or on average about
    there.
    """
    size += abs(program.constant)
    reach = np.maximum(np.abs(program.lower), np.abs(program.upper))
    usual = np.minimum(Scaling.of(program, target).columns, reach)
    whole = worth(program, usual)
    if size <= _ZERO * whole:
        return whole or 1.0
    return abs(optimal) if abs(optimal) > _NOTHING * size else size
