"""Pieces of a program over a box, with proof and without."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.assess.pieces import ExactPieces, FloatPieces
from privopt.solving.distance import LeastDistance
from privopt.solving.solution_map import SolutionMap


def released(form: LeastDistance, *which: int) -> Any:
    return sp.csr_array(np.eye(len(form.offset))[list(which)])


def floats(form: LeastDistance, *which: int, order: int = 1) -> FloatPieces:
    return FloatPieces(form, released(form, *which), order)


def exact(form: LeastDistance, *which: int, order: int = 1) -> ExactPieces:
    """The box from -1 to 1 in the units of v itself."""
    ends = np.ones(form.size)
    return ExactPieces(SolutionMap.of(form, -ends, ends), released(form, *which), order)
