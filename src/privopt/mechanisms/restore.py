"""The feasible data nearest to given ones: min ||w - d||_2 over private entries, A z <= b, G z = w.

Public entries of d stay as they are. It reads noisy data only, so it is post-processing.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Vector
from privopt.model.program import ConvexProgram, failure
from privopt.solving.problem import Cone, ConicProblem, Outcome
from privopt.solving.scaling import Scaling
from privopt.solving.solver import Settings, solve_conic

__all__ = ["nearest_feasible"]


def nearest_feasible(program: ConvexProgram, d: Vector) -> Vector:
    """The feasible right-hand side nearest to d in the private entries."""
    target = program.right_hand_side(d)
    scaling = Scaling.of(program, target)
    G = scaling.equalities(program.equalities.matrix)
    A = scaling.rows(program.rows.matrix)
    k, n, private = G.shape[0], program.n, program.private
    shift = sp.csr_array(
        (np.ones(len(private)), (private, np.arange(len(private)))), shape=(k, len(private))
    )
    weight = 1.0 / scaling.equality_factors[private]
    problem = ConicProblem(
        P=sp.block_diag([sp.csr_array((n, n)), sp.diags_array((weight / weight.max()) ** 2)]),
        q=np.zeros(n + len(private)),
        A=sp.block_array([[G, shift], [A, None]] if A.shape[0] else [[G, shift]]),
        b=np.concatenate([scaling.targets(target), scaling.bounds(program.rows.bound)]),
        cones=(Cone.zero(k), Cone.nonnegative(A.shape[0])),
    )
    answer = solve_conic(problem, Settings())
    if answer.outcome is not Outcome.OPTIMAL:
        raise failure(answer.outcome)
    z = scaling.variables(answer.x[:n])
    moved = np.array(d)
    moved[private] = np.asarray(program.G @ z)[private]
    return moved
