"""Scaling: units must not matter.

Variables z = rho E y, rows divided by their size: with E and the row factors from Ruiz
equilibration of [A; G], rho the size of the right-hand sides, and the cost divided by its largest
coefficient. The solver then sees numbers around one, and its tolerances mean the same whether the
data came in watts or gigawatts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Sparse, Vector

if TYPE_CHECKING:
    from privopt.program import ConvexProgram

ROUNDS = 12
TOLERANCE = 1e-7  # a row exceeded by less than this part of its size is kept, up to rounding


@dataclass(frozen=True)
class Scaling:
    """Column factors E, row factors, the size rho of the right-hand sides and the cost factor."""

    columns: Vector
    row_factors: Vector
    equality_factors: Vector
    rho: float
    kappa: float

    @classmethod
    def of(cls, program: ConvexProgram, target: Vector, noise: float) -> Scaling:
        """Scaling of a program at a right-hand side; `noise` is the size of the noise."""
        r, g, E = program.equilibration
        bounds = np.abs(r * program.rows.bound)
        sizes = [
            float(np.abs(g * target).max(initial=0.0)),
            float(np.median(bounds[bounds > 0])) if (bounds > 0).any() else 0.0,
            float(noise / np.median(E)),
        ]
        rho = max(sizes) or 1.0
        linear = np.abs(rho * E * program.linear).max(initial=0.0)
        quadratic = np.abs((rho**2 * _sides(program.quadratic, E)).data).max(initial=0.0)
        return cls(E, r, g, rho, 1.0 / (max(linear, quadratic) or 1.0))

    def rows(self, A: Sparse) -> Sparse:
        """Inequality rows in scaled variables."""
        return sp.csr_array(sp.diags_array(self.row_factors) @ A @ sp.diags_array(self.columns))

    def bounds(self, b: Vector) -> Vector:
        """Right-hand sides of the inequality rows."""
        return self.row_factors * b / self.rho

    def equalities(self, G: Sparse) -> Sparse:
        """Equality rows in scaled variables."""
        return sp.csr_array(
            sp.diags_array(self.equality_factors) @ G @ sp.diags_array(self.columns)
        )

    def targets(self, d: Vector) -> Vector:
        """Right-hand sides of the equality rows."""
        return self.equality_factors * d / self.rho

    def row_sizes(self, b: Vector) -> Vector:
        """What is large for each inequality row, in the user's units."""
        return self.rho * (1 + np.abs(self.bounds(b))) / self.row_factors

    def equality_sizes(self, d: Vector) -> Vector:
        """What is large for each equality row, in the user's units."""
        return self.rho * (1 + np.abs(self.targets(d))) / self.equality_factors

    def linear(self, c1: Vector) -> Vector:
        """Linear cost."""
        return self.kappa * self.rho * self.columns * c1

    def quadratic(self, C2: Sparse) -> Sparse:
        """Quadratic cost."""
        return self.kappa * self.rho**2 * _sides(C2, self.columns)

    def cost_map(self, L: Sparse) -> Sparse:
        """A linear map of the recourse whose size is measured in units of cost."""
        return sp.csr_array(self.kappa * self.rho * (L @ sp.diags_array(self.columns)))

    def variables(self, y: Any) -> Any:  # noqa: ANN401 -- vector or matrix, the same back
        """Back to the user's units: z = rho E y (for each column of a matrix)."""
        return self.rho * (self.columns * y.T).T


def equilibrate(A: Sparse, G: Sparse) -> tuple[Vector, Vector, Vector]:
    """Factors of the rows of A, of the rows of G, and of their columns."""
    factors, columns = _ruiz(sp.csr_array(sp.vstack([A, G])))
    return factors[: A.shape[0]], factors[A.shape[0] :], columns


def _sides(C2: Sparse, E: Vector) -> Sparse:
    D = sp.diags_array(E)
    return sp.csr_array(D @ C2 @ D)


def _ruiz(M: Sparse) -> tuple[Vector, Vector]:
    """Row and column factors that bring the largest entry of every row and column near one."""
    rows, columns = np.ones(M.shape[0]), np.ones(M.shape[1])
    size = abs(M)
    for _ in range(ROUNDS):
        scaled = sp.csr_array(sp.diags_array(rows) @ size @ sp.diags_array(columns))
        rows /= np.sqrt(_largest(scaled, 1))
        columns /= np.sqrt(_largest(scaled, 0))
    return rows, columns


def _largest(M: Sparse, axis: int) -> Vector:
    values = M.max(axis=axis).toarray().ravel()
    return np.where(values > 0, values, 1.0)
