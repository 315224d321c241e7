"""HiGHS: linear programs whose right-hand sides or costs change and whose basis is kept warm.

minimise c'x   subject to   row_lower <= M x <= row_upper,   lower <= x <= upper

Nothing it prints reaches standard output (`quiet`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Vector
from privopt.errors import SolverError
from privopt.solving.quiet import quiet

_SMALL = 1e-12  # HiGHS takes a smaller coefficient for zero; the least bound that it accepts


@dataclass(frozen=True, repr=False)
class LinearAnswer:
    """Value, point and row duals of a solved linear program."""

    value: float
    x: Vector
    dual: Vector


class WarmLP:
    """A linear program kept in the solver; each solve starts from the last basis."""

    def __init__(
        self,
        c: Vector,
        M: Any,  # noqa: ANN401 -- any scipy sparse
        row_lower: Vector,
        row_upper: Vector,
        lower: Vector,
        upper: Vector,
        tolerance: float = 1e-9,
    ) -> None:
        matrix = sp.csr_array(M)
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = matrix.shape[1], matrix.shape[0]
        model.col_cost_, model.col_lower_, model.col_upper_ = c, lower, upper
        model.row_lower_, model.row_upper_ = row_lower, row_upper
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = matrix.indptr.astype(np.int32)
        model.a_matrix_.index_ = matrix.indices.astype(np.int32)
        model.a_matrix_.value_ = matrix.data
        self._columns = matrix.shape[1]
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("threads", 1)
        self._highs.setOptionValue("primal_feasibility_tolerance", tolerance)
        self._highs.setOptionValue("dual_feasibility_tolerance", tolerance)
        self._highs.setOptionValue("small_matrix_value", _SMALL)
        # Without a coefficient there is no basis, and asking for one ends the interpreter.
        self._has_basis = bool(np.abs(matrix.data).max(initial=0.0) > _SMALL)
        with quiet():
            self._highs.passModel(model)

    def solve(self, rows: Any = None, values: Vector | None = None) -> LinearAnswer | None:  # noqa: ANN401
        """Solve, after fixing the given rows to the given values. None means infeasible."""
        if rows is not None and values is not None:
            for row, value in zip(rows, values, strict=True):
                self._highs.changeRowBounds(int(row), float(value), float(value))
        with quiet():
            self._highs.run()
            if self._highs.getModelStatus() == highspy.HighsModelStatus.kUnknown:
                self._highs.clearSolver()  # the last basis led nowhere
                self._highs.run()
        status = self._highs.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return None
        if status == highspy.HighsModelStatus.kUnbounded:
            return LinearAnswer(-np.inf, np.zeros(0), np.zeros(0))
        if status != highspy.HighsModelStatus.kOptimal:
            raise SolverError(
                "a linear program ended without an answer.",
                "an optimum or a proof that there is none.",
                "rescale the data: its largest and smallest coefficients lie far apart.",
                private=f"HiGHS: {self._highs.modelStatusToString(status)}",
            )
        solution = self._highs.getSolution()
        return LinearAnswer(
            float(self._highs.getObjectiveValue()),
            np.array(solution.col_value),
            np.array(solution.row_dual),
        )

    def minimise(self, c: Vector) -> LinearAnswer | None:
        """Solve with another cost, from the last basis."""
        columns = np.arange(self._columns, dtype=np.int32)
        self._highs.changeColsCost(self._columns, columns, np.asarray(c, dtype=float))
        return self.solve()

    def slope(self, rows: NDArray[np.intp]) -> Dense:
        """How x follows the values of the given (fixed) rows while the last basis stays: dx/dvalue.

        Column k is the part of B^-1 e_row that belongs to variables; non-basic ones do not move.
        """
        if not self._has_basis:
            return np.zeros((self._columns, len(rows)))
        basic = np.array(self._highs.getBasicVariables()[1])
        variables = basic >= 0  # the others are rows
        result = np.zeros((self._columns, len(rows)))
        for k, row in enumerate(rows):
            column = np.array(self._highs.getBasisInverseCol(int(row))[1])
            result[basic[variables], k] = column[variables]
        return result
