"""From a privacy request to noise: the scale whose charge stays within what was asked.

`Privacy` is the request (epsilon, delta, alpha, sensitivity); `Calibration` is what becomes of it
for one query: Delta, scale, grid, charge and law. The charge is computed by the noise's own rule at
the scale that is used, never assumed from a quotient: at the naive scale Delta/epsilon the grid's
share would put it a little above epsilon, so the scale is raised until it fits.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, Self, cast, get_args

import numpy as np

from privopt.arrays import Dense, Sparse, Vector
from privopt.digest import Kinded
from privopt.digits import exactly
from privopt.errors import CombinationError, InputError
from privopt.noise.law import Law
from privopt.noise.neighbours import Change, Neighbours, exact_alpha
from privopt.noise.protected import Alpha, ByName, Owners, alpha_of, in_order, owners_of
from privopt.noise.sensitivity import (
    Assumed,
    Sensitivity,
    check_sensitivity,
    largest_column_norm,
    round_up,
)
from privopt.scalars import probability, real


@dataclass(frozen=True)
class Calibration:
    """Noise made for one query.

    Attributes
    ----------
    size
        Number of noise dimensions p.
    scale
        Scale of the noise; entries are `scale` times the law.
    exponent
        k: values and noise lie on the grid 2^k.
    sensitivity
        Delta, the largest distance of the query's values between neighbours.
    epsilon, delta
        The charge of a release: within the request.
    tries
        T, the draws that one release may make (the charge covers all of them).
    """

    size: int
    scale: float
    exponent: int
    sensitivity: float
    epsilon: float
    delta: float
    tries: int
    law: Law = field(repr=False)
    draw: Callable[[Vector], Vector] = field(repr=False, compare=False)

    @property
    def deviation(self) -> float:
        """Standard deviation of one entry."""
        return self.scale * float(np.sqrt(self.law.variance))

    def sample(self, rng: np.random.Generator, count: int) -> Dense:
        """Noise of `count` releases, one a row, for simulations: a release draws elsewhere."""
        return self.scale * self.law.sample(rng, (count, self.size))

    def loss(self, moved: Vector, delta: float) -> float:
        """Smallest epsilon, or less, at delta for two centres that are `moved` apart.

        The noise lives on a grid of about 2^-40 of its scale; that is neglected here.
        """
        return self.law.loss(np.abs(moved) / self.scale, delta)


@dataclass(frozen=True, kw_only=True)
class Privacy(Kinded, ABC):
    """A noise family: what each must give. `noise.registry` lists them.

    A family is a frozen dataclass whose fields are what can be asked of it, in Python and in jobs:
    these and its own; where delta is not asked, it is a field without `init`. 95 of 100 draws or
    more lie within three scales: releases say so.

    Attributes
    ----------
    name
        In jobs and in claims: "truncated".
    kind
        In files and ledgers: "TruncatedLaplace".
    words
        In sentences: "truncated Laplace".
    order
        The norm in which the sensitivity is measured: 1 or 2.
    epsilon, delta
        Asked privacy loss; delta is zero for pure differential privacy.
    alpha
        Largest change of one private entry between neighbours: a number, or one for each entry.
    sensitivity
        How far the solution moves, in multiples of alpha.
    owners, change
        Which entries are one owner's, and whether "each" of them may change by its alpha or all in
        "total": see `noise.neighbours`.
    """

    name: ClassVar[str]
    words: ClassVar[str]
    order: ClassVar[int]

    epsilon: float = field(metadata={"help": "Privacy loss of one release."})
    delta: float = field(metadata={"help": "Chance of a larger loss, of noise that needs one."})
    alpha: Alpha = field(metadata={"help": "Change of one private entry that is hidden."})
    sensitivity: Sensitivity = field(
        default=Assumed(1.0), metadata={"help": "Of a plan, assumed: multiple of alpha."}
    )

    owners: Owners = field(
        default=None, metadata={"help": "Owner of each private entry; each has its own."}
    )
    change: Change = field(
        default="each", metadata={"help": "Whether each entry of an owner changes, or the total."}
    )

    def __post_init__(self) -> None:
        check_request(self)

    @property
    def neighbours(self) -> Neighbours:
        """Who is protected; what is given by name must have been `aligned` with a program."""
        alpha, owners = cast("Any", self.alpha), cast("Any", self.owners)
        if isinstance(alpha, ByName) or isinstance(owners, ByName):
            raise InputError(
                f"{'alpha' if isinstance(alpha, ByName) else 'owners'} is given by name.",
                "a program whose private entries have these names.",
                "pass the noise to Instrument(..., program=...).",
            )
        return Neighbours.of(alpha, owners, self.change)

    @property
    def one_alpha(self) -> float:
        """Alpha, where a mechanism knows one for all entries, which have an owner each."""
        relation = self.neighbours
        if not relation.plain:
            raise CombinationError(
                "alpha by entry, owners, or a change in total was handed to what knows one alpha.",
                "one alpha for all private entries: Laplace(epsilon=1.0, alpha=0.1).",
                "use po.Instrument, which proves privacy for such neighbours; or one alpha, and "
                "each entry on its own.",
            )
        return relation.largest

    def aligned(self, names: Sequence[str]) -> Self:
        """The same noise for private entries of these names: alpha and owners are in their order.

        Owners are counted; their names are not kept.
        """
        alpha, owners = (in_order(getattr(self, what), names, what) for what in ("alpha", "owners"))
        relation = Neighbours.of(alpha, owners, "each" if len(names) == 1 else self.change)
        return self.about(relation)

    def about(self, relation: Neighbours) -> Self:
        """The same noise with other neighbours."""
        parts = {"alpha": relation.alpha, "owners": relation.owners, "change": relation.change}
        if all(getattr(self, name) == value for name, value in parts.items()):
            return self
        return dataclasses.replace(self, **cast("Any", parts))

    @abstractmethod
    def calibrate(
        self,
        size: int,
        Delta: float,
        *,
        bound: float | None = None,
        tries: int = 1,
    ) -> Calibration:
        """Noise for `size` values of sensitivity Delta, |values| <= bound if that is public.

        The charge of all tries is at most `affordable`.
        """

    @property
    def affordable(self) -> Fraction:
        """The largest float that is not above epsilon as it was written: ten times 0.1 is 1.

        The float 0.1 itself is a little above one tenth.
        """
        written = Fraction(repr(self.epsilon))
        return Fraction(
            self.epsilon if Fraction(self.epsilon) <= written else math.nextafter(self.epsilon, 0)
        )

    @property
    def largest_epsilon(self) -> float:
        """The largest epsilon worth trying in a search."""
        return max(1e4, 100 * self.epsilon)

    def describe(self) -> str:
        """The promise in words."""
        return promise(self.epsilon, self.delta, self.words)

    def to_dict(self) -> dict[str, Any]:
        """What was asked, as plain data for JSON; the sensitivity of a measurement is its own.

        Owners and change are written where they are given.
        """
        relation = self.neighbours.to_dict()
        first = {"kind": self.kind, "epsilon": self.epsilon, "alpha": relation["alpha"]}
        return first | {name: getattr(self, name) for name in asked(type(self))} | relation


def asked(family: type[Privacy]) -> tuple[str, ...]:
    """The fields of a family that can be asked for, without sensitivity, owners and change."""
    others = ("sensitivity", "owners", "change")
    return tuple(
        item.name for item in dataclasses.fields(family) if item.init and item.name not in others
    )


def promise(epsilon: float, delta: float, words: str) -> str:
    """The promise of some noise, without the neighbours."""
    loss = f"({exactly(epsilon)}, {exactly(delta)})" if delta else exactly(epsilon)
    return f"{loss}-differential privacy{f' ({words})' if words else ''}"


def query_sensitivity(privacy: Privacy, S: Sparse) -> float:
    """Delta = factor * alpha * (largest column norm of S), rounded up."""
    norm = largest_column_norm(S, privacy.order)
    return round_up(
        Fraction(privacy.sensitivity.factor) * exact_alpha(privacy.one_alpha) * Fraction(norm)
    )


def check_request(request: Privacy) -> None:
    """Bring the numbers of a request to floats; refuse those outside their range."""
    checked: dict[str, Any] = {
        "epsilon": real(
            request.epsilon,
            "epsilon",
            "a number from 1e-9 to 1e9.",
            "use about 0.1 to 10; 1 is common.",
            low=1e-9,
            high=1e9,
        ),
        "alpha": alpha_of(request.alpha),
        "owners": owners_of(request.owners),
    }
    if request.change not in get_args(Change):
        raise InputError(
            f"change is {request.change!r:.40}.",
            '"each": every entry of one owner by its alpha; or "total": all of them together.',
            'leave it at "each".',
        )
    if "delta" in asked(type(request)):
        remedy = (
            "use about 1e-5, well below one over the number of people; or Laplace, without delta."
        )
        checked["delta"] = probability(request.delta, "delta", remedy=remedy)
    check_sensitivity(request.sensitivity)
    for name, value in checked.items():
        object.__setattr__(request, name, value)


def smallest_scale(charge: Callable[[float], float], start: float, limit: Fraction) -> float:
    """Smallest scale (to a few parts in 10^12) whose charge is at most the limit.

    `charge` falls with the scale, about like its reciprocal.
    """
    scale = start
    for _ in range(60):
        excess = Fraction(charge(scale)) / limit
        if excess <= 1:
            return scale
        scale = float(np.nextafter(scale * max(float(excess), 1.0), np.inf))
    raise InputError(
        "no scale was found whose charge is within the asked epsilon.",
        "an epsilon the grid can resolve.",
        "use a larger epsilon, or smaller public bounds on the released values.",
    )
