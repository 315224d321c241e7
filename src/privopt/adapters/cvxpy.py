"""A cvxpy problem as a `ConvexProgram`.

    minimise c(x)   subject to   E x = F p + g,   A x <= B p + b          p private

becomes, with a copy w of the private parameters p, the public rows E x - F w = g, A x - B w <= b
and the private equalities w = p. So d is p itself, entry by entry, in the user's units, however p
enters; alpha and the domain are about p. The copy costs no time that can be measured.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.adapters.canonical import Block, Canonical, columns_of, leaf_names, leaves_of
from privopt.adapters.cvxpy_model import CvxpyModel, read_model
from privopt.adapters.cvxpy_program import CvxpyProgram, CvxpySource, flat
from privopt.adapters.ties import ties
from privopt.arrays import Sparse, Vector

__all__ = ["from_cvxpy"]


def from_cvxpy(problem: Any, *, private: Any) -> CvxpyProgram:  # noqa: ANN401
    """A cvxpy problem whose private data are one or more of its parameters.

    Any problem that cvxpy brings to linear constraints and a linear or convex quadratic cost will
    do; the private parameters enter constraints, affinely. Other parameters are public and keep the
    values they have now. Names are the user's: variables `x[3]`, `y[1,2]` or `t`, private data
    `demand[0]`, rows `label[1]`, or `constraint 3[1]` for `problem.constraints[3]`. Auxiliary
    variables of cvxpy are `aux[0]`, ...; copies of the private data have the data's names.

    An absolute value or a maximum is an auxiliary variable above its pieces. It answers the noise
    affinely like all others, and its rows are kept as the limits are: `plan.cost` is the expected
    value of that variable, not of the maximum itself, and `verify` counts those rows too.

    Parameters
    ----------
    problem
        A `cvxpy.Problem`. It is not changed.
    private
        A `cvxpy.Parameter`, or a list of them. Their values, if all have one, are the program's d;
        `design` needs none.

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
    E, g, tied = _equalities(form, model)
    A, b, row_names, lower, upper = _inequalities(form, model)
    pairs, right, pair_names = ties(E, g, tied)
    rows: Sparse = sp.csr_array(sp.vstack([A, pairs]))[:, order]
    twins: Sparse = sp.csr_array(sp.vstack(leaves[len(model.variables) :]))
    source = CvxpySource(
        model.variables,
        tuple(sp.csr_array(leaf[:, order]) for leaf in leaves[: len(model.variables)]),
        model.private,
        sign,
    )
    values = [parameter.value for parameter in model.private]
    known = all(value is not None for value in values)
    return CvxpyProgram(
        source,
        linear=form.linear[order],
        quadratic=form.quadratic[order][:, order],
        constant=form.constant,
        A=rows if rows.shape[0] else None,
        b=np.concatenate([b, right]) if rows.shape[0] else None,
        G=twins[:, order],
        d=flat(values) if known else None,
        lower=lower[order],
        upper=upper[order],
        names=names,
        data_names=leaf_names(model.private),
        row_names=[*row_names, *pair_names] if rows.shape[0] else None,
    )


def _columns(form: Canonical, model: CvxpyModel) -> tuple[list[Sparse], list[str], list[int]]:
    """Rows of the variables; names and order of the columns: variables, private data, auxiliary."""
    leaves = leaves_of(form, model.anchors)
    named = columns_of(leaves, leaf_names((*model.variables, *model.twins)))
    rest = [j for j in range(len(form.linear)) if j not in named]
    return leaves, [*named.values(), *(f"aux[{k}]" for k in range(len(rest)))], [*named, *rest]


def _equalities(form: Canonical, model: CvxpyModel) -> tuple[Sparse, Vector, list[str]]:
    """Those of the problem, and of cvxpy's own making; not the anchors."""
    block = form.equalities
    kept = np.flatnonzero(~np.isin(block.owner, model.anchors))
    names = _row_names(block, kept, model.names, "aux equality")
    return block.matrix[kept], block.bound[kept], names


def _inequalities(
    form: Canonical, model: CvxpyModel
) -> tuple[Sparse, Vector, list[str], Vector, Vector]:
    """Rows of the problem's constraints by name; those of attributes such as nonneg as bounds."""
    block, n = form.inequalities, len(form.linear)
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    length = np.diff(block.matrix.indptr)
    own = np.isin(block.owner, list(model.names))
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
    names = _row_names(block, kept, model.names, "aux row")
    return block.matrix[kept], block.bound[kept], names, lower, upper


def _row_names(
    block: Block, kept: NDArray[np.intp], names: dict[int, str], other: str
) -> list[str]:
    """`name[place]`, and `other[k]` for rows of no constraint of the user's."""
    count, owner = itertools.count(), block.owner.tolist()
    return [
        names[owner[i]] + block.place[i] if owner[i] in names else f"{other}[{next(count)}]"
        for i in kept
    ]
