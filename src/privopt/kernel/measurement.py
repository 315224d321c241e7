"""A measurement: noisy sums of the private data, and what they cost. A public type.

Everything that is computed from it is public too, at no further privacy loss: it is the one thing
that touched d.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from privopt.arrays import Dense
from privopt.claims.facts import Ends, Slabs
from privopt.kernel.release import Release
from privopt.kernel.wire import Public
from privopt.ledger.entry import Entry
from privopt.ledger.request import digest
from privopt.show.measured import MeasuredValues

__all__ = ["Measurement"]


@dataclass(frozen=True, repr=False, eq=False)
class Measurement(Public, MeasuredValues):
    """Sums y = W u + noise of the private entries u of d.

    Attributes
    ----------
    made_by
        The instrument, as plain data.
    W
        The sums that were measured.
    domain, rows
        The box the data were clamped to; W, low and high of public facts low <= W u <= high.
    release
        The values with their charge; None where nothing was measured.
    """

    kind: ClassVar[str] = "measurement"
    version: ClassVar[int] = 1

    made_by: dict[str, Any]
    W: Dense
    domain: Ends
    rows: Slabs
    release: Release | None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measurement) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def ledger(self) -> Entry | None:
        """The charge that counted it; None: no ledger did."""
        return None if self.release is None else self.release.ledger

    @cached_property
    def digest(self) -> str:
        """By which a decision names the measurement it rests on."""
        return digest(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; floats keep their bits."""
        release = None if self.release is None else self.release.to_dict()
        return {"instrument": self.made_by, "release": release}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Measurement:
        """The measurement that `to_dict` wrote: values that its instrument can have measured."""
        from privopt.kernel.instrument import Instrument

        made_by = Instrument.from_dict(data["instrument"])
        noise, release = made_by.calibration, None
        if (noise is None) != (data["release"] is None):
            raise ValueError
        if noise is not None:
            release = Release.from_dict(data["release"])
            maker = made_by.kernel.subject if release.maker else ""
            wanted = made_by.kernel.as_release(release.values, release.ledger)
            wanted = replace(wanted, date=release.date, maker=maker)
            with np.errstate(over="ignore"):
                steps = np.ldexp(release.values, -noise.exponent)
            given = replace(release, guarantee=wanted.guarantee)
            whole = np.isfinite(steps) & (steps == np.rint(steps))
            if given != wanted or not whole.all():
                raise ValueError
            release = wanted
        return cls(data["instrument"], made_by.W, made_by.domain, made_by.rows, release)
