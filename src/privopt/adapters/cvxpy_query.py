"""Queries in cvxpy's terms: affine expressions of a problem's variables, as rows over z."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from privopt.adapters.canonical import canonical, columns_of, leaf_names, leaves_of
from privopt.arrays import Sparse
from privopt.errors import InputError
from privopt.extra import library

__all__ = ["are_expressions", "expression_rows", "formulas"]

_LONG = 40  # characters: a released value with a longer formula is y[k]


def are_expressions(value: Any) -> bool:  # noqa: ANN401
    """Whether the value is a cvxpy expression, or a list of them."""
    expression = library("cvxpy").Expression
    items = _listed(value)
    return len(items) > 0 and all(isinstance(item, expression) for item in items)


def expression_rows(
    given: Any,  # noqa: ANN401 -- cvxpy
    variables: tuple[Any, ...],
    private: tuple[Any, ...],
    names: tuple[str, ...],
) -> Sparse:
    """The matrix over z of affine expressions of some variables; `names` are those of z."""
    cp = library("cvxpy")
    whole = cp.hstack([cp.vec(part, order="F") for part in _listed(given)])
    wrong = _wrong(whole, variables, private)
    if wrong:
        raise _refusal(wrong)
    leaves = whole.variables()
    anchors = [cp.Zero(cp.vec(leaf, order="F")) for leaf in leaves]
    row = cp.Zero(whole)
    form = canonical(cp.Problem(cp.Minimize(0), [row, *anchors]))
    at = form.equalities.of(int(row.id))
    if form.equalities.bound[at].any():
        raise _refusal("has a constant part")
    rows = leaves_of(form, [int(anchor.id) for anchor in anchors])
    named = columns_of(rows, leaf_names(leaves))
    place = {name: j for j, name in enumerate(names)}
    S: Any = sp.coo_array(form.equalities.matrix[at])
    columns = np.array([place[named[int(j)]] for j in S.col], dtype=int)
    return sp.csr_array((S.data, (S.row, columns)), shape=(S.shape[0], len(names)))


def formulas(S: Sparse, names: tuple[str, ...]) -> tuple[str, ...]:
    """Rows as formulas such as `x[0] + 2 x[1] - t`; y[0], y[1], ... where these are no names."""
    texts = [_formula(S[[k]], names) for k in range(S.shape[0])]
    if len(set(texts)) < len(texts) or max(len(text) for text in texts) > _LONG:
        return tuple(f"y[{k}]" for k in range(len(texts)))
    return tuple(texts)


def _formula(row: Sparse, names: tuple[str, ...]) -> str:
    text = ""
    for j, value in sorted(zip(row.indices.tolist(), row.data.tolist(), strict=True)):
        text += " - " if value < 0 else " + "
        text += names[j] if abs(value) == 1 else f"{abs(value):g} {names[j]}"
    return text[3:] if text.startswith(" + ") else f"-{text[3:]}"


def _wrong(whole: Any, variables: tuple[Any, ...], private: tuple[Any, ...]) -> str:  # noqa: ANN401
    known = {id(variable) for variable in variables}
    hidden = {id(parameter) for parameter in private}
    if any(id(parameter) in hidden for parameter in whole.parameters()):
        return "holds private data"
    if any(parameter.value is None for parameter in whole.parameters()):
        return "holds a parameter without a value"
    if any(id(variable) not in known for variable in whole.variables()):
        return "holds a variable that is not in the problem"
    if not whole.variables() or not whole.is_affine():
        return "is no affine expression of variables"
    return ""


def _refusal(wrong: str) -> InputError:
    return InputError(
        f"a released expression {wrong}.",
        "affine expressions of the problem's variables, without constants.",
        "release the part that depends on the variables; who knows a constant can add it.",
    )


def _listed(value: Any) -> Sequence[Any]:  # noqa: ANN401
    return cast("Sequence[Any]", value) if isinstance(value, (list, tuple)) else [value]
