"""Cuts in their own terms: one number for each cut is all that is left of the recourse.

With C2 positive definite where the recourse can move, an optimal Y under the cuts

    A_c z + (D_c Y) g_c <= b_c - constant,     c = 1, 2, ...

is a combination of their answers, Y = Y_h + sum_c m_c B_c g_c', with B_c the answer to the row D_c
(see `response`). The cost is m'Q m and the cuts are Q m, with Q_cd = T_cd (g_c'g_d): whatever the
numbers of variables and noise directions are, this is a quadratic program in z and m. Q = F F'
(Cholesky with pivots) makes it one in z and N = F'm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Vector
from privopt.solving.margins import Cuts
from privopt.solving.problem import Cone, ConicProblem
from privopt.solving.response import Response, added_up, root_of
from privopt.solving.scaled import ScaledProgram

__all__ = ["CutProgram"]


@dataclass(frozen=True, repr=False, eq=False)
class CutProgram:
    """The program under limits and cuts; `split` gives z and Y, `prices` those of the held rows."""

    problem: ConicProblem
    split: Callable[[Vector], tuple[Vector, Dense]]
    prices: Callable[[Vector], Dense]

    @classmethod
    def of(
        cls, data: ScaledProgram, response: Response, cuts: Cuts, limits: Vector, b: Vector
    ) -> CutProgram:
        """Compile; `limits` bound the rows, `b` the cuts."""
        ways, n = data.directions, len(data.linear)
        groups, place = np.unique(ways.group[cuts.rows], return_inverse=True)
        D = ways.D[groups]
        offset, offset_prices, B, answer_prices = response.parts(D, data.base)
        g = (data.nu * ways.factor[cuts.rows])[:, None] * cuts.gradients
        T = np.asarray(D @ B)
        Q = (0.5 * (T + T.T))[np.ix_(place, place)] * (g @ g.T)
        root, inverse = root_of(Q, added_up(D, B)[place] * np.square(g).sum(axis=1))
        start = np.asarray(D @ (data.base + offset))
        constant = (start[place] * g).sum(axis=1)
        k, count, rows = root.shape[1], len(g), len(limits)
        weight = 2 * data.variance * response.scale
        problem = ConicProblem(
            P=sp.block_diag([2 * data.quadratic, weight * data.nu**2 * sp.eye_array(k)], "csc"),
            q=np.concatenate([data.linear, np.zeros(k)]),
            A=sp.block_array(
                [[data.G, sp.csr_array((len(data.d), k))], [data.A, None],
                 [data.A[cuts.rows], sp.csr_array(root)]],
                format="csc",
            ),
            b=np.concatenate([data.d, limits, b[cuts.rows] - constant]),
            cones=(Cone.zero(len(data.d)), Cone.nonnegative(rows + count)),
        )  # fmt: skip

        def combined(weights: Vector) -> Dense:
            """Sum of weights_c g_c' by direction."""
            pick: Any = sp.csr_array(
                (weights, (place, np.arange(count))), shape=(len(groups), count)
            )
            return np.asarray(pick @ g)

        def split(x: Vector) -> tuple[Vector, Dense]:
            m = inverse @ x[n : n + k]
            return x[:n], response.settled(offset + B @ combined(m), data.base)

        def prices(dual: Vector) -> Dense:
            multipliers = combined(dual[len(data.d) + rows :])
            return answer_prices @ multipliers - weight * data.nu**2 * offset_prices

        return cls(problem, split, prices)
