"""What a claim promises, in numbers: the sentence of a claim is made from them and never stored.

- `PrivacyTerms`: epsilon, delta, neighbours, and the family of the noise
- `FeasibilityTerms`: how many rows hold, and with which chance they may fail

A file keeps the numbers; whatever sentence stands beside them is not read. What they are counted in
is said where they are shown (`in_units`), and is no part of a claim: the same promise has the same
file and the same digest, with a unit or without. Numbers are printed so
that the sentence is true: exactly (the shortest text that reads back to them), and a probability of
holding never above one minus the chance of failing.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal, localcontext
from typing import Any, cast, get_args

from privopt.claims.units import UnitLabels
from privopt.digits import exactly
from privopt.noise.calibration import Privacy, promise
from privopt.noise.neighbours import Change, words
from privopt.noise.registry import named
from privopt.plain import integer, number

__all__ = ["FeasibilityTerms", "PrivacyTerms", "Terms", "read_terms"]


def _one_minus(value: float) -> Decimal:
    """1 - value, exactly: of the decimal that the value is written as."""
    with localcontext() as context:
        context.prec = 400
        return (1 - Decimal(repr(float(value)))).normalize()


def _shown_one_minus(value: float) -> str:
    """1 - value, exactly; with a minus sign where it would have many digits."""
    text = format(_one_minus(value), "f")
    return text if len(text) <= 14 else f"1 - {exactly(value)}"


def _confidence(value: float) -> str:
    """One minus a decimal, without the rounding of the difference: 0.93, not 0.9299999999999999."""
    text = f"{value:.12g}"
    return text if float(text) - value < 1e-15 else exactly(value)


@dataclass(frozen=True)
class PrivacyTerms:
    """Differential privacy at (epsilon, delta) for neighbours (`noise.neighbours`).

    Attributes
    ----------
    alpha
        Largest change of an entry.
    family
        Name of the noise family, such as "laplace"; "" where it is not known or none.
    least
        The smallest alpha, where it is not the same for all entries.
    together
        How many entries the owner of most has; 0: all there are.
    change
        Whether "each" of them can change by its alpha, or all in "total".
    unit
        What alpha is counted in, to be shown.
    """

    epsilon: float
    delta: float
    alpha: float
    family: str = ""
    least: float | None = None
    together: int = 1
    change: Change = "each"
    unit: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        least = self.alpha if self.least is None else number(self.least)
        numbers = [number(value) for value in (self.epsilon, self.delta, self.alpha)]
        if min(*numbers, least) < 0 or least > self.alpha:
            raise ValueError
        integer(self.together, 0, 2**53)
        if self.change not in get_args(Change):
            raise ValueError
        if self.family != "":
            named(self.family)

    @classmethod
    def of(cls, privacy: Privacy) -> PrivacyTerms:
        """What was asked of some noise."""
        relation = privacy.neighbours
        return cls(
            privacy.epsilon,
            privacy.delta,
            relation.largest,
            privacy.name,
            None if relation.least == relation.largest else relation.least,
            relation.together,
            relation.change,
        )

    @property
    def promise(self) -> str:
        """The promise without the neighbours."""
        words = named(self.family).words if self.family else ""
        return promise(self.epsilon, self.delta, words)

    def sentence(self, confidence: float) -> str:
        """The promise in words."""
        return f"{self.promise} for {self.neighbours}"

    @property
    def neighbours(self) -> str:
        """Data that must look alike, in words."""
        return words(self.alpha, self._least, self.together, self.change, self.unit)

    def in_units(self, units: UnitLabels) -> PrivacyTerms:
        """The same, to be shown with the unit of the data."""
        return replace(self, unit=units.data)

    @property
    def plain(self) -> bool:
        """Whether neighbours differ in one entry, by at most one alpha for all."""
        return (self._least, self.together) == (self.alpha, 1)

    @property
    def _least(self) -> float:
        return self.alpha if self.least is None else self.least

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: of neighbours, alpha and what is not as usual."""
        usual = {"least": None, "together": 1, "change": "each"}
        given = {k: v for k, v in asdict(self).items() if k not in usual or v != usual[k]}
        del given["unit"]
        return {"about": "privacy", **given}


@dataclass(frozen=True)
class FeasibilityTerms:
    """How the inequalities are kept.

    Attributes
    ----------
    rows
        Number of inequalities; None where it is not known.
    eta
        Chance of violation that is allowed: of all rows together, or of each where `each` is set.
        Zero: they always hold. None: nothing but the draws is said.
    most
        The largest chance of a row, where `eta` is the smallest of rows with different ones.
    draws
        Number of draws at which the rows hold, where no probability is claimed.
    everywhere
        Whether it holds for every d of the domain.
    decided
        Whether it is about values that are decided at some measurements and not at others: eta
        bounds the chance that some are decided and cannot be completed. At a d at which nothing can
        be, the rows hold with no probability.
    """

    rows: int | None
    eta: float | None
    each: bool = False
    most: float | None = None
    draws: int | None = None
    everywhere: bool = False
    decided: bool = False

    def __post_init__(self) -> None:
        chances = [number(v) for v in (self.eta, self.most) if v is not None]
        counts = [v for v in (self.rows, self.draws) if v is not None]
        flags = (self.each, self.everywhere, self.decided)
        if (
            not all(0 <= v <= 1 for v in chances)
            or not all(type(v) is int and v >= 0 for v in counts)
            or not all(type(v) is bool for v in flags)
            or (self.eta is None and self.draws is None)
        ):
            raise ValueError

    @property
    def allowed(self) -> float | None:
        """The one number that holds for all rows; None where there is none."""
        return None if self.most is not None else self.eta

    @property
    def chance(self) -> float | None:
        """The chance of violation, of all rows together or the largest of each; None: not said."""
        return self.eta if self.most is None else self.most

    @property
    def probability(self) -> float | None:
        """One minus `chance`, as decimals are subtracted; never one where that is not zero."""
        if self.chance is None:
            return None
        nearest = float(_one_minus(self.chance))
        return math.nextafter(1.0, 0.0) if nearest == 1.0 and self.chance else nearest

    def sentence(self, confidence: float) -> str:
        """The promise in words."""
        rows = "all inequalities" if self.rows is None else f"all {self.rows} inequalities"
        sure = f", with confidence {_confidence(confidence)}" if confidence < 1 else ""
        if self.eta is None:
            text = f"{rows} hold for {self.draws} draws; no certificate"
        elif self.decided:
            text = (
                f"values that cannot be completed within {rows} are decided with probability "
                f"{f'<= {exactly(self.eta)}' if self.eta else '0'}{sure}"
            )
        elif self.each:
            spread = "" if self.most is None else f"its eta ({exactly(self.eta)}.."
            last = f"{exactly(self.most)})" if self.most is not None else exactly(self.eta)
            text = f"each inequality is violated with probability <= {spread}{last}{sure}"
        elif not self.eta:
            text = f"{rows} hold with probability 1{sure}"
        else:
            text = f"{rows} hold together with probability >= {_shown_one_minus(self.eta)}{sure}"
        return f"for every d of the domain: {text}" if self.everywhere else text

    def in_units(self, units: UnitLabels) -> FeasibilityTerms:
        """The same: a probability has no unit."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        data = {"about": "feasibility", **asdict(self)}
        if not self.decided:  # as files have it that know of no decisions
            del data["decided"]
        return data


Terms = PrivacyTerms | FeasibilityTerms


def read_terms(data: object) -> Terms | None:
    """The terms that `to_dict` wrote, None of None; ValueError or TypeError if it is neither."""
    if data is None:
        return None
    given = dict(cast("dict[str, Any]", data))
    if "unit" in given:  # never written
        raise ValueError
    kinds: dict[str, type[Terms]] = {"privacy": PrivacyTerms, "feasibility": FeasibilityTerms}
    return kinds[given.pop("about")](**given)
