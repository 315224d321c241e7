"""Whether values can be chosen before the private data are known: `check_answerable`.

All that is asked of the query is a K with G K = F and S K = 0: no released value may be fixed by
the equalities to something private, which could not be told without noise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from privopt.arrays import Sparse
from privopt.errors import NotImplementableError
from privopt.foreign import some
from privopt.model.determined import determined, determined_error
from privopt.model.program import ConvexProgram
from privopt.solving.equilibration import balanced, scaled
from privopt.solving.projector import Projector
from privopt.solving.sparse import stacked

__all__ = ["check_answerable"]

_MIXED = 3  # random changes of the data that all values are looked at under
_FIXED = 1e-7  # of a unit change of the data: what a released value moves by more is fixed by them


def check_answerable(program: ConvexProgram, S: Sparse, F: Sparse, names: tuple[str, ...]) -> None:
    """Raise if the equalities fix a released value to something private."""
    C = stacked(program.equalities.matrix, S)
    factors, columns = balanced(C)
    both = scaled(C, columns, factors)
    moved: Any = scaled(F, np.ones(F.shape[1]), factors[: F.shape[0]])
    size = np.asarray(np.abs(moved).max(axis=0).todense()).ravel()
    mixed = np.random.default_rng(0).normal(size=(F.shape[1], _MIXED))  # some changes of all data
    right = np.vstack([moved @ (mixed.T / np.where(size > 0, size, 1.0)).T,
                       np.zeros((S.shape[0], _MIXED))])  # fmt: skip
    off = right - both @ Projector(both).correction(right)
    bad = np.abs(off[F.shape[0] :]).max(axis=1, initial=0.0) > _FIXED
    if np.abs(off).max(initial=0.0) <= _FIXED:
        return
    conflicts = determined(program, S, F)
    if conflicts:
        raise determined_error(conflicts, names)
    fixed = [name for name, one in zip(names, bad, strict=True) if one] or list(names)
    raise NotImplementableError(
        f"the released {some(fixed, 6, count=True)} follows from the private data alone, nearly.",
        "values that the private data leave open, so that unreleased variables can follow them.",
        "release fewer values, or something else.",
        tuple(fixed),
    )
