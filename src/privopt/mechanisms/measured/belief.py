"""What measurements leave possible of the private data: a region of known probability, and draws.

    U(y) = { u in the domain :  |y - W u| <= half-width }       P(u in U(y)) >= 1 - eta, for every u

The noise of a measurement lies in a box, all of its rows together, with probability 1 - eta (of m
measurements: each with 1 - eta/m, so that the chances of leaving it add up to eta), or always where
the noise is bounded; what grids and floats move is added. That holds for *every* d of the domain,
so it needs no prior. The draws, in contrast, are those of a prior: they price decisions and prove
nothing.

Where U(y) is empty the noise has left its box, an event that eta counts already: the box is
enlarged until there is a point, by a rule that looks at y alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.claims.facts import Slabs
from privopt.claims.units import unit_of
from privopt.errors import CombinationError, InputError
from privopt.feasibility.always import Always
from privopt.feasibility.exact_box import ExactBox
from privopt.feasibility.protocol import Feasibility
from privopt.foreign import some
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.mechanisms.measured.posterior import Evidence, posterior
from privopt.model.program import ConvexProgram
from privopt.solving.robust.covering import covers
from privopt.solving.robust.region import Region

__all__ = ["Belief", "check_same_data"]

_WIDER = 1.5  # by which a box that holds nothing is enlarged, until it does
_TRIES = 200


@dataclass(frozen=True, repr=False, eq=False)
class Belief:
    """What was measured of the same data, at least once.

    Attributes
    ----------
    instruments
        What each was measured with; all of them of the same entries, domain and neighbours.
    values
        Y of each.
    measurements
        The measurements themselves; none where they are simulated.
    ends
        Where the data can lie, if that is less than the domain of the instruments.
    """

    instruments: tuple[Instrument, ...]
    values: tuple[Vector, ...]
    measurements: tuple[Measurement, ...] = ()
    ends: tuple[Vector, Vector] | None = None

    @classmethod
    def of(cls, given: Measurement | Iterable[Measurement], program: ConvexProgram) -> Belief:
        """Check that they are measurements of the data of this program, and of each other's."""
        listed = given if isinstance(given, Iterable) else (given,)
        several: tuple[Measurement, ...] = tuple(listed)
        if not several or not all(isinstance(one, Measurement) for one in several):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(
                "measurement is no Measurement.",
                "what instrument.measure(d) returned, or a list of such.",
                "measure first; an instrument without rows measures nothing, and costs nothing.",
            )
        several = tuple({one.digest: one for one in several}.values())  # told twice, known once
        instruments = tuple(one.instrument for one in several)
        first = instruments[0]
        for one in instruments:
            check_same_data(one, program)
            if not same_people(first, one):
                raise InputError(
                    "the measurements have different domains or neighbours.",
                    "measurements of the same data in every respect but W, noise and epsilon.",
                    "make all instruments with the same domain, alpha, owners and change.",
                )
        datasets = sorted({one.ledger.dataset for one in several if one.ledger is not None})
        if len(datasets) > 1:
            raise InputError(
                f"the measurements were charged to the ledgers of {some(datasets, count=True)}: "
                "one ledger is one dataset.",
                "measurements of the same data.",
                "decide from each by itself; of the same data, measure through one ledger.",
            )
        return cls(instruments, tuple(one.values for one in several), several)

    @property
    def domain(self) -> tuple[Vector, Vector]:
        """Ends of the box that data are clamped to."""
        return self.instruments[0].domain if self.ends is None else self.ends

    @cached_property
    def everywhere(self) -> Region:
        """The domain."""
        return Region.of(*self.domain, *self.instruments[0].rows)

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """What was measured, as a density of the data."""
        return tuple(
            Evidence(one.W, y, noise.scale, noise.law.log_density)
            for one, y in zip(self.instruments, self.values, strict=True)
            if (noise := one.calibration) is not None
        )

    @property
    def epsilon(self) -> float:
        """What was asked for, of all measurements together."""
        return math.fsum(one.privacy.epsilon for one in self.instruments if len(one.W))

    def with_epsilon(self, epsilon: float) -> Belief:
        """The same y, as if it had been measured with another epsilon in all."""
        times = epsilon / self.epsilon
        return replace(
            self,
            instruments=tuple(
                one.with_epsilon(times * one.privacy.epsilon) for one in self.instruments
            ),
            measurements=(),
        )

    def narrowed(self, share: float) -> Belief:
        """The same y, with a domain that is a share as wide about the same middle."""
        lower, upper = self.domain
        middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
        return replace(self, ends=(middle - share * half, middle + share * half), measurements=())

    def draws(
        self,
        count: int,
        rng: np.random.Generator,
        *,
        within: Region | None = None,
        prior: Dense | None = None,
    ) -> Dense:
        """Draws of the private data after the measurements, one a row; see `posterior`."""
        return posterior(within or self.everywhere, self.evidence, count, rng, prior=prior)

    def region(self, feasibility: Feasibility) -> Region:
        """U(y): where the data lie with the probability that is asked for."""
        widths, wider = self.half_widths(feasibility), 1.0
        for _ in range(_TRIES):
            region = self._slabs([wider * width for width in widths])
            if not region.empty:
                return region
            wider *= _WIDER
        raise InputError(
            "no point of the domain is near what was measured.",
            "a measurement by privopt, and the domain it was made with.",
            "check the file.",
        )

    @property
    def stated(self) -> bool:
        """Whether files state what was measured, and no ledger has confirmed one of them."""
        return any(one.stated for one in self.measurements)

    def covered_by(self, region: Region, feasibility: Feasibility) -> bool:
        """Whether a region holds all of U(y), in exact fractions.

        An empty one proves nothing: there every bound falls without end.
        """
        if region.empty:
            return False
        # Their 1 + 1e-12 is for functions that another machine rounds in another way.
        widths = [(1 - 1e-12) * one for one in self.half_widths(feasibility)]
        return covers(region, *self.domain, *self._rows(widths))

    def half_widths(self, feasibility: Feasibility) -> list[Vector]:
        """How far y can be from W u, of each row of each measurement, all of them together."""
        return [_half_width(one, feasibility, len(self.instruments)) for one in self.instruments]

    def _slabs(self, widths: Sequence[Vector]) -> Region:
        return Region.of(*self.domain, *self._rows(widths))

    def _rows(self, widths: Sequence[Vector]) -> Slabs:
        """Slabs of what was measured, and the rows of the domain."""
        known, low, high = self.instruments[0].rows
        W = np.vstack([*(one.W for one in self.instruments), known])
        y, width = np.concatenate(self.values), np.concatenate(list(widths))
        return W, np.concatenate([y - width, low]), np.concatenate([y + width, high])


def check_same_data(instrument: Instrument, program: ConvexProgram) -> None:
    """Refuse an instrument, or what it measured, that is of other data than a program's."""
    kernel = instrument.kernel
    same = kernel.data_names == program.data_names
    if not same or not np.array_equal(kernel.private, program.private):
        raise InputError(
            "the measurement is of other data than this program's.",
            "the same entries of d, in the same order, the same of them private.",
            "measure with an Instrument(W, program=...) of this program.",
        )
    unit = unit_of(program)
    if instrument.unit != unit:
        raise InputError(
            f"the measurement is in {instrument.unit or 'no unit'}, the program in "
            f"{unit or 'no unit'}.",
            "both in one unit: nothing is converted after the noise.",
            "make the program in the unit of the measurement: network.program(unit=...), "
            "program.in_unit(...), or unit = ... in [program].",
        )


def same_people(first: Instrument, other: Instrument) -> bool:
    """Whether two instruments look at the same domain and hide the same changes."""
    mine, theirs = (*first.domain, *first.rows), (*other.domain, *other.rows)
    same = all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))
    return same and first.privacy.neighbours == other.privacy.neighbours


def _half_width(instrument: Instrument, feasibility: Feasibility, count: int) -> Vector:
    """How far y can be from W u, of each row."""
    noise, r = instrument.calibration, len(instrument.W)
    if noise is None:
        return np.zeros(0)
    if isinstance(feasibility, ExactBox):
        each = -math.expm1(math.log1p(-feasibility.eta / count) / r)
        half = noise.law.half_width(each)
    elif isinstance(feasibility, Always):
        half = noise.law.bound
    else:
        raise CombinationError(
            f"{type(feasibility).__name__} was asked of a decision.",
            "a region that the data lie in with some probability, all rows together.",
            "use ExactBox(eta=), or Always() with bounded noise.",
        )
    if not math.isfinite(half):
        raise CombinationError(
            "Always was asked of a measurement with unbounded noise.",
            "noise with a bounded support.",
            "measure with TruncatedLaplace(epsilon=, delta=, alpha=), or use ExactBox(eta=).",
        )
    return np.full(r, half * (1 + 1e-12) * noise.scale) + instrument.rounding
