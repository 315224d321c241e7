"""A limit that is curved: ||C z + e|| <= f'z + g.

Apparent power ||(P, Q)|| <= rate, a budget of risk, a distance. With two rows of C it is one cone
row, exactly; with more, a tower of them (`lifting`). Rotated cones are norms, too:
x^2 <= y w, y and w >= 0, is ||(2 x, y - w)|| <= y + w.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt import arrays
from privopt.model.cost import affine_rows
from privopt.model.lifting import AffineForm, Lifting, forms, named
from privopt.scalars import real

__all__ = ["NormLimit"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class NormLimit:
    """||C z + e|| <= f'z + g, the Euclidean norm.

    Parameters
    ----------
    C, e
        A matrix over the variables (or names of variables), and a vector; e is zero if left out.
    f, g
        A vector over the variables, and a number; f is zero if left out.
    name
        In messages and tables; `limit[k]` unless given.

    Examples
    --------
    >>> import privopt as po
    >>> limit = po.NormLimit(C=["P", "Q"], g=5.0)  # apparent power of at most 5
    >>> program = po.ConvexProgram(
    ...     linear=[-1, 0], G=[[0, 1]], d=[3], names=["P", "Q"], cones=[limit]
    ... )
    >>> program.solve().z.round(6)
    array([4., 3.])
    """

    C: Any
    e: Any = None
    f: Any = None
    g: float = 0.0
    name: str | None = None

    def __repr__(self) -> str:
        return f"NormLimit({self.name or 'limit'})"

    def label(self, k: int) -> str:
        """Its own name, or one by its place among the limits."""
        return named(self.name, f"limit[{k}]")

    def add(self, lifting: Lifting, names: tuple[str, ...], label: str) -> None:
        """Add the limit to a program whose variables have these names."""
        most = real(self.g, f"g of {label}", "a finite number.", "pass the limit, or 0.")
        head = AffineForm.number(most)
        if self.f is not None:
            f = arrays.vector(self.f, len(names), f"f of {label}", labels=names)
            own = np.flatnonzero(f)
            head = AffineForm(own.tolist(), f[own].tolist(), most)
        lifting.norm(forms(*affine_rows(self.C, self.e, names, label)), head, label)
