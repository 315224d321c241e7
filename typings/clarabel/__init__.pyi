"""The part of clarabel that privopt uses."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class ZeroConeT:
    def __init__(self, dim: int) -> None: ...

class NonnegativeConeT:
    def __init__(self, dim: int) -> None: ...

class SecondOrderConeT:
    def __init__(self, dim: int) -> None: ...

class ExponentialConeT:
    def __init__(self) -> None: ...

class PowerConeT:
    def __init__(self, power: float) -> None: ...

class DefaultSettings:
    verbose: bool
    max_threads: int
    max_iter: int
    time_limit: float
    tol_feas: float
    tol_gap_abs: float
    tol_gap_rel: float
    tol_infeas_rel: float
    static_regularization_constant: float
    iterative_refinement_max_iter: int
    max_step_fraction: float
    direct_solve_method: str

class DefaultSolution:
    status: object
    x: Sequence[float]
    z: Sequence[float]
    obj_val: float
    obj_val_dual: float
    r_prim: float
    r_dual: float

class DefaultSolver:
    def __init__(
        self,
        P: Any,
        q: NDArray[np.float64],
        A: Any,
        b: NDArray[np.float64],
        cones: Sequence[ZeroConeT | NonnegativeConeT | SecondOrderConeT],
        settings: DefaultSettings,
    ) -> None: ...
    def solve(self) -> DefaultSolution: ...
