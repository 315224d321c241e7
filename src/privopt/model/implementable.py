"""Implementability: does a recourse Z with G Z = 0 and S Z = I exist?

It does if and only if rank [G; S] = rank G + p: no combination of released values is fixed by the
equalities. With N the projection on the null space of G this says that the p columns of N S' are
independent, a question about a p x p matrix. When they are not, the first dependent column and the
ones it depends on are the conflict: a combination of these released values equals a combination of
equalities, so it is fixed by d and cannot carry noise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse
from privopt.errors import NotImplementableError
from privopt.foreign import some
from privopt.model.program import ConvexProgram
from privopt.solving.equilibration import balanced, scaled
from privopt.solving.particular import particular_of
from privopt.solving.projector import Projector

_TOLERANCE = 1e-7


def check_implementable(
    program: ConvexProgram,
    S: Sparse,
    names: tuple[str, ...],
    still: NDArray[np.bool_] | None = None,
) -> None:
    """Raise if the query cannot be released (with entries of Z held at zero, if given)."""
    if particular_of(program, S, still).exists:  # here is one
        return
    # Rank does not depend on units, rounding does: ask in those of equalities and query alone.
    stacked: Any = sp.vstack([program.equalities.matrix, S], format="csr")
    factors, columns = balanced(stacked)
    G = scaled(program.equalities.matrix, columns, factors[: len(program.equalities)])
    rows = scaled(S, columns).toarray()
    rows = rows / np.linalg.norm(rows, axis=1)[:, None]
    free = Projector(G).null_part(rows.T)
    kept: list[int] = []
    basis = np.zeros((program.n, 0))
    conflict: list[int] = []
    for j in range(free.shape[1]):
        rest = free[:, j] - basis @ (basis.T @ free[:, j])
        rest = rest - basis @ (basis.T @ rest)
        length = float(np.linalg.norm(rest))
        if length > _TOLERANCE:
            kept.append(j)
            basis = np.column_stack([basis, rest / length])
        elif not conflict:
            conflict = _circuit(free, kept, j)
    if conflict:
        raise _conflict(program, G, rows, names, conflict, tuple(kept))
    if still is not None:
        _check_separate(G, rows, names, still)


def _check_separate(
    G: Sparse, rows: Dense, names: tuple[str, ...], still: NDArray[np.bool_]
) -> None:
    """Raise if some noise cannot be carried without the variables of other groups."""
    C: Any = sp.vstack([G, sp.csr_array(rows)], format="csr")
    for j in range(len(names)):
        free: Any = C[:, np.flatnonzero(~still[:, j])]
        unit = np.zeros(C.shape[0])
        unit[G.shape[0] + j] = 1.0
        if np.abs(free @ Projector(free).correction(unit) - unit).max() > _TOLERANCE:
            raise NotImplementableError(
                f"the released {names[j]} cannot carry noise while the variables of the other "
                "groups stand still.",
                "enough variables outside the groups to absorb each noise.",
                "use Sum(..., separate=False), or smaller groups.",
                (names[j],),
            )


def _circuit(free: Dense, kept: list[int], j: int) -> list[int]:
    """Column j with the kept columns it is a combination of."""
    if not kept:
        return [j]
    weights = np.linalg.lstsq(free[:, kept], free[:, j], rcond=None)[0]
    return [k for k, weight in zip(kept, weights, strict=True) if abs(weight) > 1e-6] + [j]


def _conflict(
    program: ConvexProgram,
    G: Sparse,
    rows: Dense,
    names: tuple[str, ...],
    conflict: list[int],
    kept: tuple[int, ...],
) -> NotImplementableError:
    """The equalities G'y that equal the combination S'c of the released values in conflict."""
    involved = np.flatnonzero(np.abs(rows[conflict]).sum(axis=0) > 0)
    released = tuple(names[j] for j in conflict)
    equalities = _equalities(G, rows, conflict, program.equalities.names)
    left_out = len(names) - len(kept)
    part = some([names[j] for j in kept], 8)
    return NotImplementableError(
        f"the released {some(released, 6, count=True)} cannot carry noise: the equalities "
        f"{some(equalities, 6, count=True)} "
        f"fix {'it' if len(released) == 1 else 'a combination of them'} "
        f"({len(involved)} variables involved).",
        "rank [G; S] = rank G + p, so that unreleased variables can absorb the noise.",
        f"release fewer values: leaving out {left_out} works, for example keeping {part}."
        if kept
        else "release something else: none of these values can be released.",
        released,
        equalities,
        kept,
    )


def _equalities(
    G: Sparse, rows: Dense, conflict: list[int], names: tuple[str, ...]
) -> tuple[str, ...]:
    """Names of the equalities with weight in S'c = G'y, for the c of the conflict."""
    size = np.sqrt(G.multiply(G).sum(axis=1))
    dense = G.toarray() / np.where(size > 0, size, 1.0)[:, None]
    stacked = np.vstack([dense, rows[conflict]])
    # The left null vector with the largest weight on the last released row.
    u, s, _ = np.linalg.svd(stacked, full_matrices=True)
    rank = int((s > 1e-9 * s[0]).sum())
    null = u[:, rank:]
    vector = null @ null[-1]
    weight = np.abs(vector[: len(dense)])
    # At least the largest: without the equalities there would be no conflict.
    least = min(1e-6 * float(np.abs(vector).max()), float(weight.max(initial=0.0)))
    return tuple(names[i] for i in np.flatnonzero(weight >= least))
