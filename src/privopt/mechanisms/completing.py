"""Completing a release: the best solution that has its values. Private: it depends on d."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt import arrays
from privopt.arrays import Sparse, Vector
from privopt.discreet import discreet
from privopt.errors import InfeasibleError
from privopt.model.program import ConvexProgram, Optimum

__all__ = ["complete"]


@discreet
def complete(program: ConvexProgram, S: Sparse, d: Any, values: Vector) -> Optimum:  # noqa: ANN401
    """Least cost over A z <= b, G z = d and S z = values."""
    data = arrays.curated(d, program.G.shape[0], "d", program.data_names)
    whole = ConvexProgram(
        linear=program.linear,
        quadratic=program.quadratic,
        A=program.A if len(program.b) else None,
        b=program.b if len(program.b) else None,
        G=sp.vstack([program.G, S], format="csr"),
        d=np.concatenate([data, values]),
        lower=program.lower,
        upper=program.upper,
        names=program.names,
    )
    try:
        found = whole.solve()
    except InfeasibleError:
        raise InfeasibleError(
            "no feasible solution has the released values.",
            "a release that can be completed.",
            "this happens with the probability that the feasibility claim leaves; restore the "
            "nearest feasible solution yourself, and publish nothing about it.",
        ) from None
    return Optimum(found.z, program.cost(found.z), program.names)
