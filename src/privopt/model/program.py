"""The program a curator solves, with a private right-hand side.

    minimise c0 + c1'z + z'C2 z + costs(z)
    subject to   A z <= b,   lower <= z <= upper,   cones,   G z = d,   E z = g

Costs and cones are curved: any that a cone program takes. All but d is public, and of d what is not
named `private`. Limits of rows may be private, too: they are entries of d then (`model.limits`).
The private type `Optimum` is the non-private answer: its repr shows no value.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt import arrays
from privopt.arrays import Dense, Sparse, Vector
from privopt.claims.units import UnitLabels, units_read
from privopt.discreet import discreet
from privopt.errors import (
    Action,
    Clause,
    Explanation,
    InfeasibleError,
    InputError,
    PrivoptError,
    SolverError,
    UnboundedError,
)
from privopt.labels import check_names, positions
from privopt.model.cost import CostTerm
from privopt.model.diagnosis import diagnose_program
from privopt.model.lifting import Lifting
from privopt.model.limits import chosen_limits, copied, padded, wider, with_copies
from privopt.model.norm_limit import NormLimit
from privopt.model.periods import Periods
from privopt.model.reading import check_bounds, linear_rows, quadratic_cost, variable_labels
from privopt.scalars import real
from privopt.shapes import flattened, folded
from privopt.show.pictures.intervals import Dots, intervals
from privopt.show.pictures.picture import Picture
from privopt.show.result import PrivateResult
from privopt.show.units import in_money, unit_column
from privopt.show.view import Fact, Table, View
from privopt.solving.cone_rows import ConeRows
from privopt.solving.deterministic import Ended, optimum
from privopt.solving.problem import Outcome
from privopt.solving.program import Program
from privopt.solving.solver import Settings
from privopt.solving.sparse import stacked

__all__ = ["ConvexProgram", "Optimum"]


@dataclass(frozen=True, repr=False, eq=False)
class Optimum(PrivateResult):
    """A solution z for one d, and its cost. Private: it shows values only if asked."""

    z: Vector
    cost: float
    names: tuple[str, ...]
    units: UnitLabels | None = None

    def __repr__(self) -> str:
        return f"Optimum({len(self.z)} variables; private: read .z and .cost)"

    def arrays(self) -> dict[str, Dense]:
        """The values as arrays: `x[1,2]` is entry (1, 2) of the array x. Private."""
        return folded(self.names, self.z)

    def view(self) -> View:
        """Each variable, and the cost."""
        columns = {"z": self.z, **unit_column(self.units, len(self.names))}
        cost = Fact("cost", in_money(f"{self.cost:.10g}", self.units))
        table = Table("variable", self.names, columns)
        return View("Solution for one d", table, (cost,), private=True)

    def plot(self) -> Picture:
        """The values of the variables. Private."""
        title = "PRIVATE: a solution for one d"
        return intervals(self.names, [Dots("z", self.z)], title, f"cost {self.cost:.6g}", "value")


class ConvexProgram(Program):
    """A convex program with a private right-hand side.

        minimise c0 + c1'z + z'C2 z + costs(z)
        subject to   A z <= b,  lower <= z <= upper,  cones,  G z = d,  E z = g

    Parameters
    ----------
    linear
        c1, one number for each variable; zero if left out.
    quadratic
        C2, a vector (its diagonal, >= 0) or a positive semidefinite matrix. No factor 1/2.
    constant
        c0, the part of the cost that no decision changes. It moves no solution; it counts in every
        cost, and so in every loss, which is a fraction of the optimal cost.
    A, b
        Inequalities A z <= b. Both or neither.
    G, d
        Equalities G z = d. `d=None` keeps the private data out of what needs none of it. G may be
        left out where limits are private.
    E, g
        Further equalities E z = g whose right-hand side is public and no part of d. Both or
        neither.
    lower, upper
        Bounds on z: a number, a vector, or None (no bound). Entries may be infinite. A variable
        with lower equal to upper is fixed: an equality with a public right-hand side.
    names
        Names of the variables. Taken from pandas labels when there are some.
    private
        Which entries of d are private, by position or name; all of them unless given. Private
        limits are private in any case.
    private_limits
        Which rows of A have a private limit, by position or name. Their limits are entries of d,
        after those of G, under the names of the rows (`b` is not read there); z has a copy of each
        at its end.
    costs
        Further terms of the cost: `PiecewiseLinear`, `Norm`, `Power`, `Exponential`, `Logarithm`,
        `Entropy`. z has a variable for each at its end, the height of its epigraph.
    cones
        Curved limits: `NormLimit`, ||C z + e|| <= f'z + g.
    auxiliary
        Variables that only serve to write down the rest, by position or name (none): heights of
        epigraphs that the user brought along. They are priced at their best for each solution, and
        do not answer noise affinely. Those of `costs` and `cones` are among them by themselves.
    data_names, row_names, equality_names
        Names of the entries of d, of the rows of A and of the rows of E. Taken from pandas labels
        when there are some.
    unit
        What d and the variables are counted in, such as "MW", or `UnitLabels` where variables have
        others. A label: it converts nothing, and stands beside every number that comes of this.

    Notes
    -----
    Matrices may be dense, scipy sparse or pandas; pandas input is aligned by label.

    Examples
    --------
    >>> import privopt as po
    >>> program = po.ConvexProgram(linear=[1, 2], G=[[1, 1]], d=[3], lower=0, upper=2)
    >>> program
    ConvexProgram(2 variables, 4 inequalities, 1 equality, 1 private)
    >>> round(program.solve().cost, 6)
    4.0
    """

    periods: Periods | None = None  # of the private entries, where they are known: see `over`

    def __init__(
        self,
        *,
        linear: Any = None,  # noqa: ANN401
        quadratic: Any = None,  # noqa: ANN401
        constant: float = 0.0,
        A: Any = None,  # noqa: ANN401
        b: Any = None,  # noqa: ANN401
        G: Any = None,  # noqa: ANN401
        d: Any = None,  # noqa: ANN401
        E: Any = None,  # noqa: ANN401
        g: Any = None,  # noqa: ANN401
        lower: Any = None,  # noqa: ANN401
        upper: Any = None,  # noqa: ANN401
        names: Iterable[object] | None = None,
        private: Any = None,  # noqa: ANN401
        private_limits: Any = None,  # noqa: ANN401
        costs: Iterable[CostTerm] = (),
        cones: Iterable[NormLimit | ConeRows] = (),
        auxiliary: Any = None,  # noqa: ANN401
        data_names: Iterable[object] | None = None,
        row_names: Iterable[object] | None = None,
        equality_names: Iterable[object] | None = None,
        unit: UnitLabels | str | None = None,
    ) -> None:
        labels = variable_labels(names, (G, A, E, quadratic), (linear, quadratic, lower, upper))
        if G is None and private_limits is not None and A is not None:
            G = sp.csr_array((0, arrays.matrix(A, "A", columns=labels).shape[1]))
        if G is None:
            raise InputError(
                "no equality G z = d was given.",
                "at least one, or private_limits: the private data is a right-hand side.",
                "write the private quantities as equalities, for example demand = supply.",
            )
        self.G = arrays.matrix(G, "G", columns=labels)
        n = self.G.shape[1]
        if n == 0 or (self.G.shape[0] == 0 and private_limits is None):
            raise InputError(
                f"G has shape {self.G.shape}.", "rows and columns.", "pass the equalities."
            )
        self.names = check_names(labels or [f"z[{j}]" for j in range(n)], n, "variables")
        self.linear = arrays.vector(0.0 if linear is None else linear, n, "linear", labels=labels)
        self.quadratic = quadratic_cost(quadratic, n, labels)
        self.constant = real(
            constant, "constant", "a finite number.", "leave it out where all costs are of z."
        )
        self.A, self.b, row_labels = linear_rows(A, b, n, labels, row_names)
        self.E, self.g, self.equality_names = linear_rows(E, g, n, labels, equality_names, "E", "g")
        self.lower = arrays.vector(
            -np.inf if lower is None else lower, n, "lower", labels=labels, infinite=True
        )
        self.upper = arrays.vector(
            np.inf if upper is None else upper, n, "upper", labels=labels, infinite=True
        )
        check_bounds(self.lower, self.upper, self.names)
        self.row_names = tuple(row_labels)
        given = [] if auxiliary is None else positions(auxiliary, self.names, "variables")
        self._lift(_listed(costs, "costs", "cost terms"), _listed(cones, "cones", "NormLimit"))
        self.auxiliary: NDArray[np.intp] = np.array([*given, *range(n, self.n)], dtype=np.intp)
        data_labels = arrays.labels_of(G.index) if arrays.is_frame(G) else None
        if data_labels is None and arrays.is_series(d):
            data_labels = _of_equalities(arrays.labels_of(d.index), private_limits, self.row_names)
        size = self.G.shape[0]
        given = data_names if data_names is not None else data_labels
        data = check_names(given or [f"d[{i}]" for i in range(size)], size, "entries of d")
        limits = chosen_limits(private_limits, self.row_names, (*self.names, *data))
        self._copy_limits(limits)
        named = tuple(self.row_names[i] for i in limits)
        self.data_names = (*data, *named)
        labelled = data_labels if data_labels is None else (*data_labels, *named)
        flat = flattened(d, self.data_names, "d")
        self._d = None if d is None else _data(flat, size + len(limits), labelled)
        chosen = list(range(size)) if private is None else positions(private, data, "entries of d")
        if not (chosen or limits) or len(set(chosen)) != len(chosen):
            raise InputError(
                "`private` is empty or names an entry of d twice.",
                "each private entry of d once, at least one.",
                "leave `private` out to protect all of d.",
            )
        chosen += range(size, size + len(limits))
        self.private: NDArray[np.int64] = np.array(sorted(chosen), dtype=np.int64)
        self.private.setflags(write=False)
        own = n, ["cost"] * (self.n - n - len(limits)) + ["data"] * len(limits)
        self.units = units_read(unit, *own)

    def _lift(self, costs: tuple[Any, ...], cones: tuple[Any, ...]) -> None:
        """Add the variables, rows and cones that curved costs and limits are made of."""
        given = [cone for cone in cones if isinstance(cone, ConeRows)]
        lifting = Lifting(self.n)
        for kind, what, items in (
            (CostTerm, "costs", costs),
            (NormLimit, "cones", tuple(c for c in cones if not isinstance(c, ConeRows))),
        ):
            for k, item in enumerate(items):
                if not isinstance(item, kind):
                    raise InputError(
                        f"{what} holds {type(item).__name__}.",
                        f"a list of {'cost terms' if kind is CostTerm else 'NormLimit'}.",
                        "pass for example costs=[po.PiecewiseLinear(...)], "
                        "cones=[po.NormLimit(...)].",
                    )
                item.add(lifting, self.names, item.label(k))
        rows, limits, row_names = lifting.rows
        self._widen([*self.names, *lifting.names], np.array(lifting.price))
        if len(limits):
            self.A, self.b = stacked(self.A, rows), np.concatenate([self.b, limits])
            labels = [*self.row_names, *row_names]
            self.row_names = check_names(labels, len(labels), "rows")
        self.cones = ConeRows.joined(self.n, *given, lifting.cones)
        check_names(self.cones.names, len(self.cones), "curved costs and limits")

    def _widen(self, names: Sequence[str], price: Vector) -> None:
        """Make room for further variables, free, at the end of z."""
        count = len(names) - self.n
        if not count:
            return
        self.names = check_names(names, len(names), "variables, costs and private limits")
        self.A, self.G, self.E = (wider(M, len(names)) for M in (self.A, self.G, self.E))
        self.linear = np.concatenate([self.linear, price])
        none: Sparse = sp.csr_array((count, count), dtype=float)
        self.quadratic = sp.csr_array(sp.block_diag([self.quadratic, none]))
        self.lower = padded(self.lower, count, -np.inf)
        self.upper = padded(self.upper, count, np.inf)

    def _copy_limits(self, limits: list[int]) -> None:
        """Make variables of the private limits, held by equalities."""
        if not limits:
            return
        first, own = self.n, [self.row_names[i] for i in limits]
        self._widen([*self.names, *own], np.zeros(len(own)))
        self.A, self.b = with_copies(self.A, self.b, limits, first)
        self.G = copied(self.G, first)
        self.cones = self.cones.wider(self.n)

    def __repr__(self) -> str:
        return f"ConvexProgram({self.sizes}{'' if self._d is not None else ', d not given'})"

    @property
    def sizes(self) -> str:
        """How many variables, rows and private entries there are, in words."""
        k = self.G.shape[0]
        cones = len(self.cones)
        curved = f"{cones} cone{'' if cones == 1 else 's'}, " if cones else ""
        return (
            f"{self.n} variables, {len(self.rows)} inequalities, {curved}"
            f"{k} equalit{'y' if k == 1 else 'ies'}, {len(self.private)} private"
        )

    @property
    def private_names(self) -> tuple[str, ...]:
        """Names of the private entries of d."""
        return tuple(self.data_names[int(i)] for i in self.private)

    @property
    def has_data(self) -> bool:
        """Whether d was given."""
        return self._d is not None

    def at(self, d: Any) -> ConvexProgram:  # noqa: ANN401
        """The same program with another right-hand side, as in `data`."""
        other = copy.copy(self)
        other._d = _data(d, self.G.shape[0], self.data_names)
        return other

    def over(self, periods: Periods | None) -> Self:
        """The same program with private entries that belong to periods: see `Periods`."""
        if periods is not None and len(periods.period) != len(self.private):
            raise InputError(
                f"the periods of {len(periods.period)} entries were given.",
                f"of {len(self.private)}: the private entries of d, in their order.",
                "use Periods.grid(periods, customers) for a table of data.",
            )
        other = copy.copy(self)
        other.periods = periods
        return other

    def in_unit(self, unit: UnitLabels | str | None) -> Self:
        """The same program with a unit: a label, which converts nothing; None takes it away."""
        other = copy.copy(self)
        other.units = units_read(unit, self.n)
        return other

    def data(self, d: Any) -> Vector:  # noqa: ANN401
        """A right-hand side as the vector d. Everything that takes d takes these forms.

        A vector in the order of `data_names`, or a Series with these labels; or the arrays that the
        names speak of, where they are of the form `load[1,2]`: one array, several as a dict by name
        or as a list.
        """
        return _data(d, self.G.shape[0], self.data_names)

    def without_data(self) -> ConvexProgram:
        """The same program without d: nothing private is left in it."""
        other = copy.copy(self)
        other._d = None
        return other

    def positions(self, which: Any) -> list[int]:  # noqa: ANN401
        """Positions of variables given by position, name or mask, or as an adapter reads them."""
        return positions(which, self.names, "variables")

    def values(self, S: Any) -> tuple[Sparse, tuple[str, ...]]:  # noqa: ANN401
        """S and names of linear values S z, given as a matrix, or as an adapter reads them."""
        matrix = arrays.matrix(S, "S", columns=self.names)
        if arrays.is_frame(S):
            return matrix, check_names(arrays.labels_of(S.index), matrix.shape[0], "rows of S")
        return matrix, tuple(f"y[{k}]" for k in range(matrix.shape[0]))

    def cost(self, z: Any) -> float:  # noqa: ANN401
        """c0 + c1'z + z'C2 z."""
        point = arrays.vector(z, self.n, "z", labels=self.names, private=True)
        return self.constant + float(self.linear @ point + point @ (self.quadratic @ point))

    @discreet
    def solve(self, settings: Settings | None = None, *, d: Vector | None = None) -> Optimum:
        """Solve the program without privacy (at another d if given).

        Raises
        ------
        InfeasibleError, UnboundedError, SolverError
            None of their texts depends on d; `error.diagnose()` and `error.private` do.
        """
        if d is not None:
            d = _data(d, self.G.shape[0], self.data_names)
        z = solved(self, self.right_hand_side(d), settings or Settings()).z
        return Optimum(z, self.cost(z), self.names, self.units)


def _listed(items: Any, what: str, needed: str) -> tuple[Any, ...]:  # noqa: ANN401 -- the edge
    """A list of terms as a tuple."""
    if isinstance(items, (str, bytes)) or not isinstance(items, Iterable):
        raise InputError(
            f"{what} is a {type(items).__name__}.", f"a list of {needed}.", f"pass {what}=[...]."
        )
    return tuple(cast("Iterable[Any]", items))


def _of_equalities(labels: tuple[str, ...], limits: Any, rows: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ANN401
    """The labels of d that are not those of private limits."""
    if limits is None:
        return labels
    own = {rows[i] for i in positions(limits, rows, "rows")}
    return tuple(label for label in labels if label not in own)


def _data(d: Any, size: int, labels: Sequence[str] | None) -> Vector:  # noqa: ANN401
    return arrays.curated(d, size, "d", labels)


@discreet
def solved(program: ConvexProgram, target: Vector, settings: Settings) -> Ended:
    """Solve at a right-hand side of all equalities; raises as `ConvexProgram.solve` does."""
    found = optimum(program, target, settings)
    if isinstance(found, Outcome):
        raise failure(found, lambda: diagnose_program(program, target))
    return found


def failure(outcome: Outcome, explain: Callable[[], Explanation] | None = None) -> PrivoptError:
    """The error that a solve without noise ended with."""
    if outcome is Outcome.INFEASIBLE:
        return InfeasibleError(
            "the program itself has no feasible point, before any privacy.",
            "data for which A z <= b and G z = d can hold together.",
            (
                "check signs, units and bounds",
                Clause(Action.DIAGNOSE, "names the rows in the way, for the curator only."),
            ),
            explain,
        )
    if outcome is Outcome.UNBOUNDED:
        return UnboundedError(
            "the cost of the program falls without end.",
            "a cost that is bounded below on the feasible set.",
            "add the missing bounds (lower=, upper=) or check the signs of the cost.",
        )
    return stopped(outcome)


def stopped(outcome: Outcome) -> SolverError:
    """The error of a solver that ended with neither a solution nor a proof that there is none."""
    return SolverError(
        "the solver stopped without an answer that can be used.",
        "an optimum within the tolerance and the time limit.",
        (
            "rescale the data, or relax Settings(tolerance=, time_limit=)",
            Clause(Action.REVEAL, "tells the curator how it ended."),
        ),
        private=f"Clarabel: {outcome.value}",
    )
