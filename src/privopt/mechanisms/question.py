"""What is asked of a program: which values of its solution, under which noise, limits kept how.

    which y = S z of   minimise c(z) : A z <= b, G z = d   under noise of (epsilon, delta, alpha)

Every verb (solve, lower_bound, the baselines) reads its arguments into one
`Question`, which checks them and knows the public facts that follow from them: S, names, the bound
on released values, the noise, the claim. None of these facts reads d.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Sparse, Vector
from privopt.claims.guarantee import Claim
from privopt.claims.privacy import privacy_claim
from privopt.digest import digest_of
from privopt.errors import Action, Clause, InputError
from privopt.feasibility.protocol import Feasibility
from privopt.feasibility.registry import REFORMULATIONS
from privopt.mechanisms.repeat import Repeat
from privopt.model.implementable import check_implementable
from privopt.model.magnitude import public_bound
from privopt.model.objective import ExpectedCost, Objective
from privopt.model.program import ConvexProgram
from privopt.model.query import Query, still_entries
from privopt.model.uniqueness import released_is_unique
from privopt.noise.calibration import Calibration, Privacy, query_sensitivity
from privopt.noise.registry import FAMILIES
from privopt.solving.solver import Settings

__all__ = ["Question", "check_arguments"]

_SHARED = ("S", "names", "still", "bound")  # what program and query say, whatever the rest is
_CHOICES = ("objective", "feasibility", "repeat")
# What is passed under a name: the attribute that shows it, in words unless a registry lists it, and
# whether None will do.
_KINDS = {
    "program": ("equalities", "a ConvexProgram", False),
    "query": ("matrix", "Identity(...), Sum(...) or Linear(...)", False),
    "privacy": ("calibrate", "", False),
    "feasibility": ("margins", "", False),
    "objective": ("deviation", "ExpectedCost() or another objective", False),
    "repeat": ("tries", "Repeat(...) or None", True),
    "settings": ("time_limit", "Settings(...) or None", True),
}


@dataclass(frozen=True, eq=False, repr=False)
class Question:
    """What a verb was asked, and the public facts that follow. Its program may hold d: private.

    Attributes
    ----------
    program, query, privacy
        The program, what is released of its solution, and the noise.
    feasibility
        How the inequalities are kept; None asks for the optimum, without margins.
    objective, repeat
        Of a plan: what is minimised, and whether draws are repeated.
    rng
        Seed or generator of reformulations that sample.
    settings
        Tolerance, time limit, threads.
    """

    program: ConvexProgram
    query: Query
    privacy: Privacy
    feasibility: Feasibility | None = None
    objective: Objective = field(default_factory=ExpectedCost)
    repeat: Repeat | None = None
    rng: int | np.random.Generator | None = None
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        check_arguments(program=self.program, query=self.query, privacy=self.privacy)
        object.__setattr__(self, "privacy", self.privacy.aligned(self.program.private_names))
        if self.feasibility is not None:
            check_arguments(feasibility=self.feasibility)
        check_arguments(objective=self.objective, repeat=self.repeat, settings=self.settings)

    def at(self, d: Vector) -> Question:
        """The same at other data."""
        return self._with(program=self.program.at(d))

    def under(
        self,
        privacy: Privacy | None = None,
        feasibility: Feasibility | None = None,
        *,
        settings: Settings | None = None,
        rng: int | np.random.Generator | None = None,
    ) -> Question:
        """The same with other noise, feasibility, settings or draws, where given."""
        names = ("privacy", "feasibility", "settings", "rng")
        given = dict(zip(names, (privacy, feasibility, settings, rng), strict=True))
        return self._with(**{name: value for name, value in given.items() if value is not None})

    def started(self) -> Question:
        """The same with the clock of its time limit running."""
        return self._with(settings=self.settings.started())

    def _with(self, **changes: Any) -> Question:  # noqa: ANN401 -- of the fields' types
        other = dataclasses.replace(self, **changes)
        known = {name: vars(self)[name] for name in _SHARED if name in vars(self)}
        vars(other).update(known)
        return other

    @property
    def kept(self) -> Feasibility:
        """How the inequalities are kept, by a mechanism that has to know."""
        check_arguments(feasibility=self.feasibility)
        return self.feasibility  # pyright: ignore[reportReturnType]

    @cached_property
    def S(self) -> Sparse:
        """The query matrix."""
        return self.query.matrix(self.program)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the released values."""
        return self.query.names(self.program)

    @cached_property
    def still(self) -> NDArray[np.bool_] | None:
        """Entries of Z that the query holds at zero besides S Z = I."""
        return still_entries(self.query, self.program)

    @cached_property
    def bound(self) -> float | None:
        """A bound on |S z| that the public inequalities give."""
        return public_bound(self.program, self.S)

    @cached_property
    def tries(self) -> int:
        """How often a release may be drawn."""
        return 1 if self.repeat is None else self.repeat.tries(self.kept)

    @cached_property
    def calibration(self) -> Calibration:
        """The noise of S z~, by the sensitivity that `privacy` brings along."""
        size, Delta = self.S.shape[0], query_sensitivity(self.privacy, self.S)
        return self.privacy.calibrate(size, Delta, bound=self.bound, tries=self.tries)

    @property
    def claim(self) -> Claim:
        """What is claimed of the privacy of S z~ plus that noise, drawn once."""
        unique = released_is_unique(self.program, self.S, self.objective)
        return privacy_claim(self.privacy, unique=unique)

    def check_implementable(self) -> None:
        """Refuse a query that the equalities leave no room for noise on."""
        check_implementable(self.program, self.S, self.names, self.still)

    @property
    def choices(self) -> dict[str, str]:
        """A digest of each choice beside program, query and noise.

        Two plans with the same program, query, noise and claim can still release different values:
        they may differ in their objective, in the chance that each row may fail, or in the test for
        which draws are repeated. So a request in a ledger holds these.
        """
        return {name: _digest(getattr(self, name)) for name in _CHOICES}


def _digest(value: Any) -> str:  # noqa: ANN401 -- a dataclass of numbers, or None
    if value is None:
        return digest_of(None)
    given = [
        (item.name, np.asarray(getattr(value, item.name)).tolist())
        for item in dataclasses.fields(value)
    ]
    return digest_of(value.kind, given)


def check_arguments(**given: object) -> None:
    """Refuse an argument that is not of the kind its name says."""
    for name, value in given.items():
        attribute, needed, optional = _KINDS[name]
        if value is None and optional:
            continue
        if isinstance(value, type) or not hasattr(value, attribute):
            what = value.__name__ if isinstance(value, type) else type(value).__name__
            got = f"the class {what}, not an object of it" if isinstance(value, type) else what
            needed = needed or _listed(name)
            raise InputError(f"{name} is {got}.", f"{needed}.", (Clause(Action.HELP, "solve"),))


def _listed(name: str) -> str:
    """What is registered for an argument."""
    if name == "feasibility":
        first, second = (f"{kind.kind}(...)" for kind in REFORMULATIONS[:2])
        return f"{first}, {second} or another reformulation"
    *most, last = (f"{kind.kind}(...)" for kind in FAMILIES)
    return f"{', '.join(most)} or {last}"
