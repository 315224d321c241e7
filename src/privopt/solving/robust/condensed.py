"""A program in fewer variables, for many right-hand sides t of its equalities.

    minimise c(x)   subject to   E x = N t,   M x <= b - R t          z = lift(x, t)

x are the variables that cost something or have a limit of their own. The others (the angles of a
network) follow from them and t: G_f z_f = t - G_x x. Their equalities leave N with N G_f = 0, and a
row of A that holds some of them has Lambda with Lambda G_f = A_f, so

    E = N G_x,     A z = (A_x - Lambda G_x) x + Lambda t = M x + R t.

Nothing is approximated. Where the others do not follow (their columns have no full rank), x is z.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Dense, Sparse, Vector
from privopt.solving.directions import Positions
from privopt.solving.program import Program
from privopt.solving.scaling import Scaling
from privopt.solving.space import Border
from privopt.solving.sparse import absolute, taken

__all__ = ["Condensed"]

_TIGHT = 1e-7
_ROUNDING = 1e-13  # of the largest entry: an entry that is none


class Condensed:
    """The program in the units of a scaling, without the variables that follow.

    Attributes
    ----------
    E, N
        E x = N t: t in scaled units.
    linear, quadratic
        c1 and C2 of x.
    limits, sizes
        b, less by 1e-7 of the size of each row, 1 + |b|: what is found keeps its limits in spite of
        the solver's tolerance.
    own
        The rows of A with one entry, none of a variable that follows.
    """

    def __init__(self, program: Program, scaling: Scaling) -> None:
        self.program, self.scaling = program, scaling
        self.A = scaling.rows(program.rows.matrix)
        bounds = scaling.bounds(program.rows.bound)
        self.sizes = 1 + np.abs(bounds)
        self.limits = bounds - _TIGHT * self.sizes
        self._G = scaling.independent(program)
        linear, quadratic = scaling.linear(program.linear), scaling.quadratic(program.quadratic)
        single = np.diff(self.A.indptr) == 1
        self.own = np.flatnonzero(single)
        costs = np.abs(linear) + np.asarray(absolute(quadratic).sum(axis=0)).ravel()
        needed = costs > 0
        needed[taken(self.A, self.own).indices] = True
        needed |= np.bincount(self._G.indices, minlength=program.n) == 0  # nothing to follow from
        follow = np.flatnonzero(~needed)
        self._border = Border.of(self._G, follow) if len(follow) else None
        if self._border is None:
            follow = np.zeros(0, dtype=np.intp)
        self._follow = follow
        self.kept = np.setdiff1d(np.arange(program.n), follow)
        self.linear = linear[self.kept]
        self.quadratic: Sparse = sp.csr_array(quadratic[self.kept][:, self.kept])
        self._on_x: Any = self._G[:, self.kept]
        self.E, self.N = self._equalities()

    def _equalities(self) -> tuple[Sparse, Sparse]:
        """E and N: what the variables that follow leave of the equalities, and the others."""
        border, k = self._border, self._G.shape[0]
        if border is None:
            return sp.csr_array(self._on_x), sp.csr_array(sp.eye_array(k))
        others = np.setdiff1d(np.arange(k), border.used)
        N = sp.lil_array((len(border.null) + len(others), k))
        if len(border.null):
            N[: len(border.null), border.used] = border.null
        N[np.arange(len(border.null), N.shape[0]), others] = 1.0
        N = sp.csr_array(N)
        E = (N @ self._on_x).toarray()
        size = np.abs(E).max(axis=1, initial=0.0)
        size[size == 0] = 1.0
        E[np.abs(E) <= _ROUNDING * size[:, None]] = 0.0
        whole: Any = sp.diags_array(1 / size) @ N
        return sp.csr_array(E / size[:, None]), sp.csr_array(whole)

    @cached_property
    def cones(self) -> tuple[Sparse, Sparse, Vector]:
        """Cone rows as rows of x and of t, and what is added to them."""
        C, e = self.scaling.cones(self.program.cones)
        on_x, on_t = self.of(C)
        return on_x, on_t, e

    def targets(self, target: Dense) -> Dense:
        """T of right-hand sides of the program's equalities, one a row, in scaled units."""
        factors = self.scaling.equality_factors
        return (target * factors)[..., self.program.independent]

    def of(self, M: Sparse) -> tuple[Sparse, Sparse]:
        """Rows of z in scaled units as rows of x and of t."""
        direct: Any = M[:, self.kept]
        if self._border is None:
            return sp.csr_array(direct), sp.csr_array((M.shape[0], self._G.shape[0]))
        through: Any = M[:, self._follow]
        lines = np.flatnonzero(np.diff(through.indptr))
        on_t = np.zeros((M.shape[0], self._G.shape[0]))
        on_t[np.ix_(lines, self._border.used)] = self._border.rows(through[lines])
        on_x = np.asarray(on_t[lines] @ self._on_x)
        on_x[np.abs(on_x) <= _ROUNDING * np.abs(on_x).max(axis=1, initial=1.0)[:, None]] = 0.0
        whole: Any = sp.lil_array(direct)
        whole[lines] = direct[lines].toarray() - on_x
        return sp.csr_array(whole), sp.csr_array(on_t)

    def rows(self, which: Positions) -> tuple[Sparse, Sparse]:
        """M and R of some rows of A."""
        return self.of(taken(self.A, which))

    def lift(self, x: Dense, t: Dense) -> Dense:
        """Z in scaled units, from x and t, one a row."""
        z = np.zeros((len(x), self.program.n))
        z[:, self.kept] = x
        if self._border is not None:
            left = t.T - np.asarray(self._on_x @ x.T)
            z[:, self._follow] = self._border.angles(left[self._border.used]).T
        return z

    def activity(self, x: Dense, t: Dense) -> Dense:
        """A z for each row of x and t."""
        return np.asarray(self.A @ self.lift(x, t).T).T

    def cost(self, x: Vector) -> float:
        """The cost of x, in the units of the scaling, without the constant."""
        return float(self.linear @ x + x @ (self.quadratic @ x))
