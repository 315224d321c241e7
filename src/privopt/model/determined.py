"""Which released values the equalities fix to something private, so that no one can choose them.

A combination c'S z is fixed where S'c = G'y for some y: it is y'r at every right-hand side r of the
equalities. It is private where r follows the private data there: y'F != 0. With N the projection on
the null space of G the fixed combinations are those with N S'c = 0: the first column of N S' that
depends on those before it, with these, is one of them, and all others are made of such ones.

Variables with lower = upper count as equalities: units without room leave the others to the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Sparse, Vector
from privopt.errors import NotImplementableError
from privopt.foreign import some
from privopt.model.program import ConvexProgram
from privopt.solving.equilibration import balanced, scaled
from privopt.solving.projector import Projector

__all__ = ["Determined", "determined", "determined_error", "without_room"]

_TOLERANCE = 1e-7  # of a normalised row: what is left of it below that is rounding
_WEIGHT = 1e-6  # of the largest weight: below it there is none
_TERMS = 6  # values, variables or equalities that are named


@dataclass(frozen=True, repr=False)
class Determined:
    """A combination of released values that follows from the private data alone.

    Attributes
    ----------
    released, weights
        Positions of the values, and what each counts in the combination.
    still
        Names of variables with lower = upper that it takes.
    equalities
        Names of the other equalities that it takes.
    """

    released: tuple[int, ...]
    weights: tuple[float, ...]
    still: tuple[str, ...]
    equalities: tuple[str, ...]

    def words(self, names: tuple[str, ...]) -> str:
        """The combination as a sum: p[1] + p[2], or p[1] - 0.5 p[2]."""
        if len(self.released) > _TERMS:
            every = some([names[j] for j in self.released], _TERMS, count=True)
            return f"a combination of {every}"
        text = ""
        for j, weight in zip(self.released, self.weights, strict=True):
            sign = (" + " if weight > 0 else " - ") if text else ("" if weight > 0 else "-")
            size = f"{abs(weight):.4g}"
            text += f"{sign}{'' if size == '1' else f'{size} '}{names[j]}"
        return text


def determined(program: ConvexProgram, S: Sparse, F: Sparse) -> tuple[Determined, ...]:
    """Combinations of released values that are fixed to something private; each has one of its own.

    `F` is how the right-hand side of all equalities follows the private data. Without the last
    value of each, the others can be chosen.
    """
    stacked: Any = sp.vstack([program.equalities.matrix, S], format="csr")
    factors, columns = balanced(stacked)
    factors = factors[: len(program.equalities)]
    G, every = scaled(program.equalities.matrix, columns, factors), scaled(S, columns).toarray()
    lengths = np.linalg.norm(every, axis=1)
    rows = every / np.where(lengths > 0, lengths, 1.0)[:, None]
    projector = Projector(G)
    free = projector.null_part(rows.T)
    right = cast("Any", F).toarray() * factors[:, None]
    size = np.abs(right).max(axis=0, initial=0.0)
    moved = projector.correction(right / np.where(size > 0, size, 1.0))
    followed, reach = rows @ moved, float(np.linalg.norm(moved, axis=0).max(initial=0.0))
    kept: list[int] = []
    basis = np.zeros((program.n, 0))
    found: list[Determined] = []
    for j in range(len(rows)):
        rest = free[:, j] - basis @ (basis.T @ free[:, j])
        rest = rest - basis @ (basis.T @ rest)
        length = float(np.linalg.norm(rest))
        if length > _TOLERANCE:
            kept.append(j)
            basis = np.column_stack([basis, rest / length])
            continue
        weights = np.zeros(len(rows))
        weights[j] = 1.0
        if kept:
            weights[kept] = -np.linalg.lstsq(free[:, kept], free[:, j], rcond=None)[0]
        weights[np.abs(weights) <= _WEIGHT * np.abs(weights).max()] = 0.0
        least = _TOLERANCE * float(np.abs(weights).sum()) * reach
        if np.abs(weights @ followed).max(initial=0.0) > least:
            found.append(_named(program, projector.adjoint(rows.T @ weights), weights / lengths))
    return tuple(found)


def _named(program: ConvexProgram, multipliers: Vector, weights: Vector) -> Determined:
    """The combination with these weights and multipliers of the equalities."""
    weights = weights / weights[np.argmax(np.abs(weights))]
    at = np.flatnonzero(weights)
    weights = weights * np.sign(weights[at[0]])
    used = np.abs(multipliers) > _WEIGHT * np.abs(multipliers).max(initial=0.0)
    still, equalities = list[str](), list[str]()
    for k in np.flatnonzero(used):
        column = _only_column(program.equalities.matrix, int(k))
        if column is not None and _fixed(program)[column]:
            still.append(program.names[column])
        else:
            equalities.append(program.equalities.names[int(k)])
    return Determined(
        tuple(int(j) for j in at), tuple(float(w) for w in weights[at]), tuple(still),
        tuple(equalities),
    )  # fmt: skip


def _only_column(matrix: Sparse, row: int) -> int | None:
    """The column of a row's only entry."""
    at = matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]
    return int(at[0]) if len(at) == 1 else None


def _fixed(program: ConvexProgram) -> NDArray[np.bool_]:
    """Which variables have no room."""
    return np.asarray(program.box[0] == program.box[1])


def determined_error(
    found: tuple[Determined, ...], names: tuple[str, ...]
) -> NotImplementableError:
    """The error that names the first of these combinations, and what to leave out."""
    first, last = found[0], [one.released[-1] for one in found]
    have = "has" if len(first.still) == 1 else "have"
    why = (
        f"because {some(first.still, _TERMS, count=True)} {have} no room (lower = upper)"
        if first.still
        else f"because {_fixing(first.equalities)} it"
    )
    alone = len(first.released) == 1
    out = some([names[j] for j in last], _TERMS, count=True)
    remedy = (
        f"leave out {out}."
        if alone or len(found) > 1
        else f"leave one of them out: without {out}, for example, the others can be chosen."
    )
    return NotImplementableError(
        f"{first.words(names)} follows from the private data alone, whatever is measured, {why}.",
        "values that can be chosen before the private data are known.",
        remedy,
        tuple(names[j] for j in first.released),
        first.equalities,
        tuple(j for j in range(len(names)) if j not in last),
    )


def _fixing(equalities: tuple[str, ...]) -> str:
    listed = some(equalities, _TERMS, count=True)
    return f"the equality {listed} fixes" if len(equalities) == 1 else f"equalities ({listed}) fix"


def without_room(program: ConvexProgram, S: Sparse) -> dict[int, float]:
    """Released values of variables with lower = upper alone, by position: what each of them is."""
    fixed, values = _fixed(program), np.nan_to_num(program.box[0], posinf=0.0, neginf=0.0)
    found: dict[int, float] = {}
    for j, (start, end) in enumerate(zip(S.indptr[:-1], S.indptr[1:], strict=True)):
        at, weights = S.indices[start:end], S.data[start:end]
        if fixed[at[weights != 0]].all():
            found[j] = float(weights @ values[at]) + 0.0
    return found
