"""The part of highspy that privopt uses."""

from collections.abc import Sequence
from enum import Enum
from typing import Any

class MatrixFormat(Enum):
    kRowwise = 2

class HighsModelStatus(Enum):
    kOptimal = 7
    kInfeasible = 8
    kUnknown = 15
    kUnbounded = 10

class HighsSparseMatrix:
    format_: MatrixFormat
    start_: Any
    index_: Any
    value_: Any

class HighsLp:
    num_col_: int
    num_row_: int
    col_cost_: Any
    col_lower_: Any
    col_upper_: Any
    row_lower_: Any
    row_upper_: Any
    a_matrix_: HighsSparseMatrix

class HighsSolution:
    col_value: Sequence[float]
    row_dual: Sequence[float]

class Highs:
    def silent(self) -> None: ...
    def setOptionValue(self, name: str, value: float | int | str | bool) -> object: ...
    def passModel(self, model: HighsLp) -> object: ...
    def changeRowBounds(self, row: int, lower: float, upper: float) -> object: ...
    def changeColsCost(self, count: int, columns: Any, costs: Any) -> object: ...
    def run(self) -> object: ...
    def getModelStatus(self) -> HighsModelStatus: ...
    def clearSolver(self) -> object: ...
    def modelStatusToString(self, status: HighsModelStatus) -> str: ...
    def getObjectiveValue(self) -> float: ...
    def getSolution(self) -> HighsSolution: ...
    def getBasicVariables(self) -> tuple[object, Sequence[int]]: ...
    def getBasisInverseCol(self, row: int) -> tuple[object, Sequence[float]]: ...
