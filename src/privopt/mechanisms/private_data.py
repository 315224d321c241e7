"""The private data as a decision sees them: mean, domain, prior, and what follows them.

    right-hand side of the equalities = start + F (private entries of d)

F picks the private entries. Where G is rank-deficient (demands that must balance), entries named
to balance them follow: F spans changes that keep G z = d solvable. Private entries are never read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt import arrays
from privopt.arrays import Dense, Sparse, Vector
from privopt.errors import InputError, SolverError
from privopt.labels import positions
from privopt.model.program import ConvexProgram, solved
from privopt.solving.deterministic import Ended
from privopt.solving.equilibration import scaled
from privopt.solving.program import check_held
from privopt.solving.projector import Projector
from privopt.solving.solver import Settings
from privopt.solving.sparse import taken
from privopt.solving.sweep import Sweep

__all__ = [
    "DRAWS", "Answers", "PrivateData", "balanced", "even_draws", "followed", "known_data",
]  # fmt: skip

DRAWS = 256  # of the prior, for the mean of the optimal cost and the distance; a power of two
_MANY = 1000  # equalities beyond which dense matrices take too long
_TOLERANCE = 1e-9  # of a unit change of d: below it the equalities follow


@dataclass(frozen=True, eq=False)
class Answers:
    """The non-private answers at public draws of the private data, one row a draw.

    Attributes
    ----------
    drawn
        Deviations v from the mean.
    costs, sizes, values
        The optimal cost, what it is made of (`solving.scaling.worth`) and S z* at each.
    """

    drawn: Dense
    costs: Vector
    sizes: Vector
    values: Dense


class PrivateData:
    """The private data in public: a mean, deviations v, a domain, a prior.

    Attributes
    ----------
    known
        The public entries of d by name, without those that balance the private ones.
    start, F
        Right-hand side of the equalities, start + F (private entries of d).
    """

    def __init__(
        self,
        program: ConvexProgram,
        lower: Vector,
        upper: Vector,
        prior: Dense | None,
        balance: tuple[int, ...],
    ) -> None:
        self.lower, self.upper = lower, upper
        self._program, self.prior, self.balance = program, prior, balance
        self.middle = 0.5 * (lower + upper)
        self.mean = self.middle if prior is None else prior.mean(axis=0)
        self.variance = (upper - lower) ** 2 / 12 if prior is None else prior.var(axis=0)
        self.moving = np.flatnonzero(upper > lower)
        self.known = known_data(program, balance)
        self.start, self.F = followed(program, balance, self.known)
        self._sweep = Sweep(program)

    @classmethod
    def of(
        cls,
        program: ConvexProgram,
        lower: Vector,
        upper: Vector,
        prior: Any,  # noqa: ANN401
        balance: Any,  # noqa: ANN401
    ) -> PrivateData:
        """Check what was given."""
        given = None
        if prior is not None:
            given = arrays.matrix(prior, "prior", columns=program.private_names).toarray()
            inside = not arrays.is_flat(prior) and given.shape[1] == len(lower) and len(given) > 0
            if not inside or not ((given >= lower) & (given <= upper)).all():
                raise InputError(
                    "prior is no matrix of draws within the domain.",
                    f"one draw of the {len(lower)} private entries a row, within the domain.",
                    "leave it out for the uniform prior.",
                )
        return cls(program, lower, upper, given, balanced(program, balance))

    def target(self, private: Vector) -> Vector:
        """Right-hand side of all equalities at some private entries (or at each column of them)."""
        return (self.start + np.asarray(self.F @ private).T).T

    def whole(self, private: Vector) -> Vector:
        """The whole of d at some private entries."""
        return self.target(private)[: self._program.G.shape[0]]

    def draws(self, seed: int = 0) -> Dense:
        """Public draws of v from the prior, the same in every run with the same seed.

        Of the uniform prior they are Sobol's, which lie more evenly: on the paper's networks the
        mean of 256 of them is off by 0.004 percent at most, that of 200 random ones by 2.
        """
        rng = np.random.default_rng(seed)
        if self.prior is None:
            return even_draws(self.lower, self.upper, rng) - self.mean
        chosen = rng.integers(len(self.prior), size=DRAWS)
        return self.prior[chosen] - self.mean

    def solutions(self, deviations: Dense, settings: Settings) -> Dense:
        """The optima z* at deviations from the mean, one a row; raises where there is none."""
        program, targets = self._program, self.target((self.mean + deviations).T).T
        check_held(targets)

        def alone(target: Vector) -> Ended:
            try:
                return solved(program, target, settings)
            except SolverError as error:  # the draws are public, and so is how it ended
                why = "" if error.private is None else f": {error.private.reveal()}"
                told = f"the solver stopped at a public draw of the data{why}."
                remedy = "rescale the data, or relax Settings(tolerance=, time_limit=)."
                raise SolverError(told, error.needed, remedy) from None

        return self._sweep.at(targets, alone)


def even_draws(
    lower: Vector, upper: Vector, rng: np.random.Generator | None = None, count: int = DRAWS
) -> Dense:
    """Public draws of the uniform prior on a box, one a row; the same in every run without `rng`.

    `count` is a power of two.
    """
    from scipy.stats import qmc  # late: it takes longer than everything else here

    rng, size = np.random.default_rng(0) if rng is None else rng, len(lower)
    even = 0 < size <= qmc.Sobol.MAXDIM
    draws = qmc.Sobol(size, seed=rng).random(count) if even else rng.random((count, size))
    return lower + draws * (upper - lower)


def balanced(program: ConvexProgram, balance: Any) -> tuple[int, ...]:  # noqa: ANN401 -- the edge
    """Positions of the entries of d that follow the private ones; none of them is private."""
    if balance is None:
        return ()
    found = tuple(positions(balance, program.data_names, "entries of d"))
    if np.isin(found, program.private).any():
        raise InputError(
            "an entry of d is private and balances others at once.",
            "entries that are not private in balance=.",
            "name the private entries with ConvexProgram(private=...).",
        )
    return found


def known_data(program: ConvexProgram, balance: tuple[int, ...]) -> dict[str, float]:
    """The public entries of d, by name: those that neither are private nor follow."""
    public = np.setdiff1d(np.arange(program.G.shape[0]), program.private)
    public = public[~np.isin(public, balance)]
    if not len(public):
        return {}
    if not program.has_data:
        raise InputError(
            f"{program.data_names[public[0]]}, a public entry of d, has no value (d=None).",
            "a value for every public entry of d.",
            "pass d=..., whose private entries are not read; or balance=..., if it follows the "
            "private entries.",
        )
    check_held(program.d[public])
    return {program.data_names[i]: float(program.d[i]) for i in public}


def followed(
    program: ConvexProgram, balance: tuple[int, ...], known: Mapping[str, float]
) -> tuple[Vector, Sparse]:
    """Right-hand side of the equalities as start + F (private entries of d)."""
    size, private = len(program.equalities), program.private
    start = program.equalities.bound.copy()
    # The program may hold d; only what is known counts.
    start[: program.G.shape[0]] = [known.get(name, 0.0) for name in program.data_names]
    q = len(private)
    F = np.zeros((size, q))
    F[private, np.arange(q)] = 1.0
    conditions, factors = _conditions(program), program.equilibration[1]
    idle = [k for k in balance if not conditions[:, k].any()]
    if idle:
        raise InputError(
            f"{program.data_names[idle[0]]} balances nothing: no equality needs it for that.",
            "in balance=, entries of d that must follow a change of a private one.",
            "leave it out of balance=, and give its value in d.",
        )
    if len(balance):
        unit = np.zeros((size, len(balance)))
        unit[list(balance), np.arange(len(balance))] = 1.0
        off = conditions @ np.column_stack([F, start])
        sizes = factors[list(balance)]
        share = np.linalg.lstsq(conditions[:, list(balance)] / sizes, off, rcond=None)[0]
        share /= sizes[:, None]
        F, start = F - unit @ share[:, :q], start - unit @ share[:, q]
    size = (factors[:, None] * np.abs(F)).max(axis=0)
    bad = np.flatnonzero(np.abs(conditions @ F).max(axis=0, initial=0.0) > _TOLERANCE * size)
    if len(bad):
        raise InputError(
            f"the equalities cannot follow a change of {program.data_names[private[bad[0]]]} alone "
            "(G is rank-deficient: some sums of d are fixed).",
            "entries of d that balance a change of a private one.",
            "name one or more of them with balance=..., and leave them out of private=.",
        )
    return start, sp.csr_array(F)


def _conditions(program: ConvexProgram) -> Dense:
    """W with W r = 0 for the right-hand sides r that some z reaches: a row for each equality left.

    The equalities that follow from others (`solving.rank`) are combinations of those, and so must
    be their right-hand sides.
    """
    _, factors, columns = program.equilibration
    G = scaled(program.equalities.matrix, columns, factors)
    kept = program.independent
    others = np.setdiff1d(np.arange(G.shape[0]), kept)
    W = np.zeros((len(others), G.shape[0]))
    if not len(others):
        return W
    if G.shape[0] > _MANY:
        W[:, kept] = -Projector(taken(G, kept)).adjoint(taken(G, others).toarray().T).T
    else:
        every: Dense = G.toarray()
        W[:, kept] = -np.linalg.lstsq(every[kept].T, every[others].T, rcond=None)[0].T
    W[np.arange(len(others)), others] = 1.0
    return W * factors
