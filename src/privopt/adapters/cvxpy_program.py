"""What a program from cvxpy can do besides: read expressions, write to the problem's variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from privopt import arrays
from privopt.adapters.cvxpy_query import are_expressions, expression_rows, formulas
from privopt.arrays import Dense, Sparse, Vector
from privopt.errors import InputError
from privopt.model.program import ConvexProgram

__all__ = ["CvxpyProgram", "CvxpySource", "flat"]


@dataclass(frozen=True, eq=False, repr=False)
class CvxpySource:
    """The user's variables, each with its rows over z, private parameters, and the objective."""

    variables: tuple[Any, ...]
    leaves: tuple[Sparse, ...]
    private: tuple[Any, ...]
    sign: float


class CvxpyProgram(ConvexProgram):
    """A `ConvexProgram` that came from a cvxpy problem.

    Queries take variables and affine expressions of the problem: `Identity(x[1:3])`,
    `Sum([x[:2], x[2:]])`, `Linear(A @ x)`. Made by `from_cvxpy`.
    """

    def __init__(self, source: CvxpySource, **data: Any) -> None:  # noqa: ANN401
        super().__init__(**data)
        self._source: CvxpySource | None = source

    @property
    def _origin(self) -> CvxpySource:
        if self._source is None:
            raise InputError(
                "this program was separated from its cvxpy problem, with its data.",
                "the program that from_cvxpy returned.",
                "use that one: its variables have the same order.",
            )
        return self._source

    def without_data(self) -> ConvexProgram:
        """The same program without d, and without the cvxpy problem, which may hold values."""
        other = cast("CvxpyProgram", super().without_data())
        other._source = None
        return other

    def at(self, d: Any) -> CvxpyProgram:  # noqa: ANN401
        """The same program with another value of the private parameters, as in `data`."""
        return cast("CvxpyProgram", super().at(self.data(d)))

    def data(self, value: Any) -> Any:  # noqa: ANN401
        """A value of the private parameters as the vector d: what `policy.release` takes.

        Arrays are flattened in cvxpy's order (the first index fastest).

        Parameters
        ----------
        value
            An array of the parameter's shape; for several parameters a dict by name, or a list in
            the order of `private=`. A number or a vector of the length of d will do as it is.
        """
        if self._source is None or arrays.is_series(value):
            return value
        shapes = {leaf.name(): tuple(leaf.shape) for leaf in self._source.private}
        if isinstance(value, Mapping):
            return _joined(cast("Mapping[str, Any]", value), shapes)
        array = arrays.numbers(value, beyond=True)
        if array is not None and array.ndim < 2:
            return array if array.ndim else float(array)
        several = len(shapes) > 1 and isinstance(value, (list, tuple))
        parts: list[Any] = list(cast("Sequence[Any]", value)) if several else [value]
        fit = len(parts) == len(shapes)
        return _joined(dict(zip(shapes, parts, strict=True)) if fit else {}, shapes)

    def assign(self, z: Any) -> dict[str, Dense]:  # noqa: ANN401
        """Write a solution into the problem's variables (`x.value`), and return it by name.

        z is `optimum.z`, `plan.realise(release)` or `policy.complete(d, release).z`: private, and
        so is what it is written into.
        """
        point = arrays.vector(z, self.n, "z", labels=self.names, private=True)
        found: dict[str, Dense] = {}
        for variable, rows in zip(self._origin.variables, self._origin.leaves, strict=True):
            value = np.reshape(np.asarray(rows @ point), variable.shape, order="F")
            variable.save_value(value)
            found[variable.name()] = value
        return found

    def objective(self, z: Any) -> float:  # noqa: ANN401
        """The problem's own objective: the cost, with the other sign where it is maximised.

        Auxiliary variables count as they stand in z; `assign(z)` and then `problem.objective.value`
        computes absolute values and maxima anew.
        """
        return self._origin.sign * self.cost(z)

    def positions(self, which: Any) -> list[int]:  # noqa: ANN401
        """Positions of variables, given also as cvxpy expressions that pick them."""
        if not are_expressions(which):
            return super().positions(which)
        S, names = self.values(which)
        picked = (np.diff(S.indptr) == 1) & (np.asarray(S.sum(axis=1)) == 1)
        if not picked.all():
            raise InputError(
                f"{names[int(np.argmin(picked))]} is no single variable.",
                "variables, or parts of them such as x[1:3].",
                "ask for combinations with Linear(expression).",
            )
        return S.indices.tolist()

    def values(self, S: Any) -> tuple[Sparse, tuple[str, ...]]:  # noqa: ANN401
        """Linear values of z, given also as affine cvxpy expressions of the problem's variables."""
        if not are_expressions(S):
            return super().values(S)
        origin = self._origin
        matrix = expression_rows(S, origin.variables, origin.private, self.names)
        return matrix, formulas(matrix, self.names)


def flat(values: Iterable[Any]) -> Vector:
    """Arrays as one vector, the first index of each fastest: cvxpy's order."""
    return np.concatenate([np.asarray(value, dtype=float).flatten(order="F") for value in values])


def _joined(values: Mapping[str, Any], shapes: dict[str, tuple[int, ...]]) -> Vector:
    """The values of parameters of some shapes as one vector. Errors tell shapes only."""
    read = {name: arrays.numbers(value, beyond=True) for name, value in values.items()}
    fits = {
        name: array is not None and array.shape == shapes.get(name) for name, array in read.items()
    }
    if set(values) != set(shapes) or not all(fits.values()):
        raise InputError(
            "the values do not have the names and shapes of the private parameters.",
            "arrays of the shapes "
            + ", ".join(f"{shape} ({name})" for name, shape in shapes.items())
            + ".",
            "pass what the parameters themselves would take, by name.",
        )
    return flat(read[name] for name in shapes)
