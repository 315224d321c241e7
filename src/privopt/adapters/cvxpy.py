"""A cvxpy problem as a `ConvexProgram`.

    minimise c(x)   subject to   E x = F p + g,   A x <= B p + b,   C x + D p + e in K     p private

becomes, with a copy w of the private parameters p, the public rows E x - F w = g, A x - B w <= b,
C x + D w + e in K, and the private equalities w = p. So d is p itself, entry by entry, in the
user's units, however p enters; alpha and the domain are about p. The copy costs no time that can be
measured.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.adapters.canonical import Canonical, columns_of, leaf_names, leaves_of
from privopt.adapters.cvxpy_model import CvxpyModel, read_model
from privopt.adapters.cvxpy_program import CvxpyProgram, CvxpySource, flat
from privopt.adapters.ownership import Owners
from privopt.arrays import Sparse, Vector
from privopt.model.norm_limit import NormLimit
from privopt.solving.cone_rows import ConeRows

__all__ = ["from_cvxpy"]

_AUX = "aux["  # begins the name of a variable that cvxpy added


def from_cvxpy(problem: Any, *, private: Any) -> CvxpyProgram:  # noqa: ANN401
    """A cvxpy problem whose private data are one or more of its parameters.

    Any convex problem that cvxpy brings to linear rows, second-order, exponential and power cones
    will do; the private parameters enter constraints, affinely. Other parameters are public and
    keep the values they have now. Names are the user's: variables `x[3]`, `y[1,2]` or `t`, private
    data `demand[0]`, rows, equalities and cones `label[1]`, or `constraint 3[1]` for
    `problem.constraints[3]` (`label` where it is one). What cvxpy adds is `aux[0]`, ... if it is a
    variable, else `label~row[0]`, `label~equality[0]` or `label~cone[0]` after the constraint that
    it is for (`ownership`), `cost~cone[0]` for the objective, `shared~cone[0]` for several. Copies
    of the private data have the data's names.

    A maximum, a norm or an exponential is an auxiliary variable above it. One that only prices is
    no limit: a decision prices it as it is at each draw of the data (`solving.pricing`).

    Parameters
    ----------
    problem
        A `cvxpy.Problem`. It is not changed.
    private
        A `cvxpy.Parameter`, or a list of them. Their values, if all have one, are the program's d;
        `decide` needs none.

    Raises
    ------
    InputError
        Something does not fit: the message names the constraint, variable or parameter.

    Examples
    --------
    >>> import cvxpy as cp, privopt as po
    >>> x, demand = cp.Variable(3, name="x", nonneg=True), cp.Parameter(name="demand")
    >>> cost = cp.Minimize([1, 2, 3] @ x + 0.1 * cp.sum_squares(x))
    >>> problem = cp.Problem(cost, [cp.sum(x) == demand, x <= 4])
    >>> program = from_cvxpy(problem, private=demand)
    >>> program.data_names, po.Identity(x[1:]).names(program)
    (('demand',), ('x[1]', 'x[2]'))
    >>> optimum = program.at(6.0).solve()
    >>> program.assign(optimum.z)["x"].round(4)
    array([4., 2., 0.])
    """
    model = read_model(problem, private)
    form, sign = model.form, -1.0 if model.maximise else 1.0
    leaves, names, order = _columns(form, model)
    known = [j for j, name in zip(order, names, strict=True) if not name.startswith(_AUX)]
    owners = Owners.of(form, model.names, model.anchors, known)
    E, g, tied = _equalities(form, model, owners)
    A, b, row_names, lower, upper = _inequalities(form, owners)
    rows: Sparse = sp.csr_array(A[:, order])
    twins: Sparse = sp.csr_array(sp.vstack(leaves[len(model.variables) :]))
    source = CvxpySource(
        model.variables,
        tuple(sp.csr_array(leaf[:, order]) for leaf in leaves[: len(model.variables)]),
        model.private,
        sign,
    )
    values = [parameter.value for parameter in model.private]
    valued = all(value is not None for value in values)
    return CvxpyProgram(
        source,
        linear=form.linear[order],
        quadratic=form.quadratic[order][:, order],
        constant=form.constant,
        A=rows if len(b) else None,
        b=b if len(b) else None,
        G=twins[:, order],
        E=sp.csr_array(E[:, order]) if len(g) else None,
        g=g if len(g) else None,
        d=flat(values) if valued else None,
        lower=lower[order],
        upper=upper[order],
        names=names,
        data_names=leaf_names(model.private),
        row_names=row_names if len(b) else None,
        equality_names=tied if len(g) else None,
        cones=_cones(form, owners, order),
        auxiliary=[name for name in names if name.startswith(_AUX)],
    )


def _columns(form: Canonical, model: CvxpyModel) -> tuple[list[Sparse], list[str], list[int]]:
    """Rows of the variables; names and order of the columns: variables, private data, auxiliary."""
    leaves = leaves_of(form, model.anchors)
    named = columns_of(leaves, leaf_names((*model.variables, *model.twins)))
    rest = [j for j in range(len(form.linear)) if j not in named]
    return leaves, [*named.values(), *(f"{_AUX}{k}]" for k in range(len(rest)))], [*named, *rest]


def _equalities(
    form: Canonical, model: CvxpyModel, owners: Owners
) -> tuple[Sparse, Vector, list[str]]:
    """Those of the problem, and of cvxpy's own making; not the anchors."""
    block = form.equalities
    empty = (np.diff(block.matrix.indptr) == 0) & (block.bound == 0)  # 0 = 0
    kept = np.flatnonzero(~np.isin(block.owner, model.anchors) & ~empty)
    return block.matrix[kept], block.bound[kept], owners.rows(block, kept, "equality")


def _inequalities(
    form: Canonical, owners: Owners
) -> tuple[Sparse, Vector, list[str], Vector, Vector]:
    """Rows of the problem's constraints by name; those of attributes such as nonneg as bounds."""
    block, n = form.inequalities, len(form.linear)
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    length = np.diff(block.matrix.indptr)
    own = np.isin(block.owner, list(owners.names))
    for i in np.flatnonzero(~own & (length == 1)):
        at = block.matrix.indptr[i]
        j, factor = block.matrix.indices[at], block.matrix.data[at]
        if factor > 0:
            upper[j] = min(upper[j], block.bound[i] / factor)
        else:
            lower[j] = max(lower[j], block.bound[i] / factor)
    # A row without a limit, or without variables, says nothing.
    idle = np.isposinf(block.bound) | ((length == 0) & (block.bound >= 0))
    kept = np.flatnonzero(~idle & (own | (length != 1)))
    names = owners.rows(block, kept, "row")
    return block.matrix[kept], block.bound[kept], names, lower, upper


def _cones(form: Canonical, owners: Owners, order: list[int]) -> list[NormLimit | ConeRows]:
    """The cones: those of three rows as they are, other norms as towers."""
    block = form.curved
    C: Any = sp.csr_array(-block.matrix[:, order])
    names = owners.cones(block, [cone.size for cone in form.cones])
    found: list[NormLimit | ConeRows] = []
    first = 0
    for cone, name in zip(form.cones, names, strict=True):
        rows = slice(first, first + cone.size)
        matrix, offset = sp.csr_array(C[rows]), block.bound[rows]
        if cone.size == 3:
            found.append(ConeRows((cone,), matrix, offset, (name,)))
        else:
            f = matrix[[0]].toarray()[0]
            found.append(NormLimit(C=matrix[1:], e=offset[1:], f=f, g=float(offset[0]), name=name))
        first += cone.size
    return found
