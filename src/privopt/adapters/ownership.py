"""Which constraint the rows and cones of cvxpy's own making belong to.

    cp.norm(x) <= 2     becomes     t <= 2  (the constraint's own row),   ||x|| <= t  (a cone)

The two are tied by the auxiliary variable t: what auxiliary variables tie together comes from one
constraint, or from the objective. Where the same expression is in several constraints, cvxpy makes
its variables once: they are shared.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.adapters.canonical import Block, Canonical
from privopt.arrays import Sparse
from privopt.solving.equilibration import together

__all__ = ["Owners"]

_COST, _SHARED = "cost", "shared"


@dataclass(frozen=True, eq=False, repr=False)
class Owners:
    """Names of the user's constraints by their numbers, and by the auxiliary columns they have."""

    names: Mapping[int, str]
    tied: Mapping[int, str]

    @classmethod
    def of(
        cls, form: Canonical, names: Mapping[int, str], anchors: Iterable[int], known: Iterable[int]
    ) -> Owners:
        """Find them; `known` are the columns of the user's variables and of the private data."""
        kept = np.flatnonzero(~np.isin(form.equalities.owner, list(anchors)))
        auxiliary = np.setdiff1d(np.arange(len(form.linear)), list(known))
        firsts = [0, *itertools.accumulate(cone.size for cone in form.cones)]
        cones = _merged(form.curved.matrix, firsts)
        whole: Any = sp.vstack([form.equalities.matrix[kept], form.inequalities.matrix, cones])
        whole = sp.csr_array(sp.csc_array(whole)[:, auxiliary])
        group = together(whole, whole[:0])
        owner = (
            form.equalities.owner[kept], form.inequalities.owner, form.curved.owner[firsts[:-1]],
        )  # fmt: skip
        found: dict[int, set[str]] = defaultdict(set)
        for i, number in enumerate(np.concatenate(owner).tolist()):
            if number in names:
                for j in whole.indices[whole.indptr[i] : whole.indptr[i + 1]]:
                    found[int(group[j])].add(names[number])
        return cls(
            names,
            {
                int(j): next(iter(found[g])) if len(found[g]) == 1 else _SHARED
                for j, g in zip(auxiliary, group.tolist(), strict=True)
                if found[g]
            },
        )

    def rows(self, block: Block, kept: NDArray[np.intp], kind: str) -> list[str]:
        """`label[place]` of a constraint's own rows, `label~kind[k]` of those made for it."""
        count: Counter[str] = Counter()
        owner, found = block.owner.tolist(), list[str]()
        for i in kept:
            if owner[i] in self.names:
                found.append(f"{self.names[owner[i]]}{block.place[int(i)]}")
            else:
                found.append(self._made(block.matrix[[int(i)]], kind, count))
        return found

    def cones(self, block: Block, sizes: list[int]) -> list[str]:
        """`label` of a constraint that is a cone (`label[k]` of several), `label~cone[k]` else."""
        firsts = [0, *itertools.accumulate(sizes)][:-1]
        owners = [int(block.owner[first]) for first in firsts]
        several, count = Counter(owners), Counter[str]()
        found: list[str] = []
        for first, size, owner in zip(firsts, sizes, owners, strict=True):
            if owner in self.names:
                name = self.names[owner]
                found.append(f"{name}[{count[name]}]" if several[owner] > 1 else name)
                count[name] += 1
            else:
                found.append(self._made(block.matrix[first : first + size], "cone", count))
        return found

    def _made(self, rows: Any, kind: str, count: Counter[str]) -> str:  # noqa: ANN401 -- sparse
        names = {self.tied[int(j)] for j in rows.indices if int(j) in self.tied}
        name = f"{names.pop() if len(names) == 1 else _COST}~{kind}"
        count[name] += 1
        return f"{name}[{count[name] - 1}]"


def _merged(M: Sparse, firsts: list[int]) -> Sparse:
    """One row for each cone, with an entry wherever a row of it has one."""
    parts: Any = (np.ones(M.nnz), M.indices, M.indptr[firsts])
    return sp.csr_array(parts, shape=(len(firsts) - 1, M.shape[1]))
