"""Queries: which linear values of the solution are released, y = S z.

`Identity` picks variables, `Sum` adds up disjoint groups of them, `Linear` takes any S of full row
rank. All lead to the same condition on the recourse, S Z = I.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Sparse
from privopt.errors import InputError
from privopt.labels import check_names
from privopt.model.program import ConvexProgram
from privopt.solving.sparse import places

__all__ = ["Identity", "Linear", "Query", "Sum", "still_entries"]


class Query(Protocol):
    """What is released of a solution."""

    def matrix(self, program: ConvexProgram) -> Sparse:
        """S, one row for each released value."""
        ...

    def names(self, program: ConvexProgram) -> tuple[str, ...]:
        """A name for each released value."""
        ...


@dataclass(frozen=True, eq=False)
class Identity:
    """Release some variables as they are.

    Parameters
    ----------
    which
        Positions, names or a boolean mask; variables of your model, if it came by an adapter.

    Examples
    --------
    >>> import privopt as po
    >>> program = po.ConvexProgram(G=[[1, 1, 1]], d=[3], names=["x", "y", "w"])
    >>> po.Identity(["w", "x"]).matrix(program).toarray().tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """

    which: Any

    def matrix(self, program: ConvexProgram) -> Sparse:
        """Rows of the identity."""
        return _selection([[j] for j in self._chosen(program)], program.n)

    def names(self, program: ConvexProgram) -> tuple[str, ...]:
        """Names of the variables."""
        return tuple(program.names[j] for j in self._chosen(program))

    def _chosen(self, program: ConvexProgram) -> list[int]:
        chosen = program.positions(self.which)
        _check_not_empty(len(chosen))
        _check_disjoint(chosen, program, "released twice")
        return chosen


@dataclass(frozen=True, eq=False)
class Sum:
    """Release sums over disjoint groups of variables.

    Parameters
    ----------
    groups
        A list of groups, or a dict from the name of a sum to its group. A group is positions,
        names or a boolean mask.
    separate
        True: variables of a group answer the noise of their own sum only, as in the code of the
        paper's authors. Stronger than S Z = I, which the paper and the privacy ask for; it costs
        more.
    """

    groups: Any
    separate: bool = False

    def matrix(self, program: ConvexProgram) -> Sparse:
        """Rows of zeros and ones."""
        return _selection(list(self._resolved(program).values()), program.n)

    def names(self, program: ConvexProgram) -> tuple[str, ...]:
        """Names of the sums."""
        return tuple(self._resolved(program))

    def still(self, program: ConvexProgram) -> NDArray[np.bool_] | None:
        """Entries of Z that must be zero: variables of other groups, if groups are separate."""
        if not self.separate:
            return None
        own = np.asarray(self.matrix(program).toarray().T > 0, dtype=bool)
        grouped = np.asarray(own.any(axis=1), dtype=bool)
        return np.asarray(grouped[:, None] & ~own, dtype=bool)

    def _resolved(self, program: ConvexProgram) -> dict[str, list[int]]:
        if isinstance(self.groups, Mapping):
            named = cast("Mapping[object, Any]", self.groups)
            given = [(str(name), group) for name, group in named.items()]
        elif hasattr(self.groups, "__iter__") and not isinstance(self.groups, str):
            listed = cast("Iterable[Any]", self.groups)
            given = [(f"sum[{k}]", group) for k, group in enumerate(listed)]
            if any(isinstance(group, (str, int, np.integer)) for _, group in given):
                raise InputError(
                    "a group of the sum is a single variable, not a list.",
                    "a list of groups, each a list of variables.",
                    "for one sum write Sum([['x', 'y']]); for variables one by one, Identity.",
                )
        else:
            raise InputError(
                f"{type(self.groups).__name__} is not a list of groups.",
                "a list of groups, or a dict from names to groups.",
                "pass for example [['x', 'y'], ['w']].",
            )
        check_names([name for name, _ in given], len(given), "sums")
        groups = {name: program.positions(group) for name, group in given}
        _check_not_empty(min((len(group) for group in groups.values()), default=0))
        everyone = [j for group in groups.values() for j in group]
        _check_disjoint(everyone, program, "in two groups, or twice in one")
        return groups


@dataclass(frozen=True, eq=False)
class Linear:
    """Release y = S z for any S of full row rank (dense, sparse, or a DataFrame by label).

    Of a program that came by `from_cvxpy`, S may be an affine expression of the variables.
    """

    S: Any

    def matrix(self, program: ConvexProgram) -> Sparse:
        """S itself, checked."""
        S = program.values(self.S)[0]
        if S.shape[1] != program.n:
            raise InputError(
                f"S has {S.shape[1]} columns.",
                f"one for each of the {program.n} variables.",
                "pass one row a released value, one column a variable.",
            )
        _check_not_empty(S.shape[0])
        used, column = np.unique(S.indices, return_inverse=True)
        dense = np.zeros((S.shape[0], len(used)))
        dense[places(S), column] = S.data
        size = np.linalg.norm(dense, axis=1)
        rank = 0
        if (size > 0).all():
            dense = dense / size[:, None]
            rank = int(np.linalg.matrix_rank(dense, tol=1e-9))
        if rank < S.shape[0]:
            raise InputError(
                f"S has {S.shape[0]} rows and rank {rank}.",
                "full row rank: no released value may follow from the others.",
                "drop the dependent rows; who knows the others can compute them.",
            )
        return S

    def names(self, program: ConvexProgram) -> tuple[str, ...]:
        """Row labels of a DataFrame, or y[0], y[1], ..."""
        return program.values(self.S)[1]


def still_entries(query: Query, program: ConvexProgram) -> NDArray[np.bool_] | None:
    """Entries of Z that the query holds at zero besides S Z = I; None if there are none."""
    return query.still(program) if isinstance(query, Sum) else None


def _selection(groups: list[list[int]], n: int) -> Sparse:
    rows = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    columns = np.array([j for group in groups for j in group], dtype=int)
    return sp.csr_array((np.ones(len(columns)), (rows, columns)), shape=(len(groups), n))


def _check_not_empty(size: int) -> None:
    if size == 0:
        raise InputError(
            "the query is empty, or one of its groups is.",
            "at least one variable to release.",
            "name the variables that must be published.",
        )


def _check_disjoint(chosen: list[int], program: ConvexProgram, how: str) -> None:
    twice = [j for j, count in Counter(chosen).items() if count > 1]
    if twice:
        raise InputError(
            f"variable {program.names[twice[0]]!r} is {how}.",
            "each variable at most once.",
            "remove the repetition; overlapping sums can be asked with Linear.",
        )
