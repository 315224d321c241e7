"""A measurement: noisy sums of the private data, and what they cost. A public type.

Everything that is computed from it is public too, at no further privacy loss: it is the one thing
that touched d. A file of one says what was measured with the instrument that it names; that it was
measured so, and charged, is stated there until a ledger confirms it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privopt.arrays import Dense
from privopt.claims.facts import Ends, Slabs
from privopt.kernel.release import Release
from privopt.kernel.wire import Public
from privopt.ledger.entry import Entry
from privopt.ledger.reading import ReadLedger
from privopt.record import part_of
from privopt.show.measured import MeasuredValues

if TYPE_CHECKING:
    from privopt.kernel.instrument import Instrument

__all__ = ["Measurement"]


@dataclass(frozen=True, repr=False, eq=False)
class Measurement(Public, MeasuredValues):
    """Sums y = W u + noise of the private entries u of d.

    Attributes
    ----------
    instrument
        What was measured, with what noise.
    release
        The values with their charge; None where nothing was measured.
    """

    kind: ClassVar[str] = "measurement"
    version: ClassVar[int] = 2

    instrument: Instrument
    release: Release | None

    @property
    def W(self) -> Dense:
        """The sums that were measured."""
        return self.instrument.W

    @property
    def domain(self) -> Ends:
        """The box the data were clamped to."""
        return self.instrument.domain

    @property
    def rows(self) -> Slabs:
        """W, low and high of public facts low <= W u <= high."""
        return self.instrument.rows

    @property
    def ledger(self) -> Entry | None:
        """The charge that counted it; None: no ledger did."""
        return None if self.release is None else self.release.ledger

    @property
    def stated(self) -> bool:
        """Whether only a file states that this was measured."""
        return self.release is not None and self.release.guarantee.privacy.stated

    def confirmed(self, ledger: ReadLedger) -> Measurement:
        """The same, no longer stated: this ledger holds it. See `Release.confirmed`."""
        if self.release is None:
            return self
        return replace(self, release=self.release.confirmed(ledger))

    def record(self) -> dict[str, Any]:
        """Plain data; floats keep their bits."""
        release = None if self.release is None else self.release.record()
        return {"instrument": self.instrument.digest, "release": release}

    @property
    def parts(self) -> tuple[Public, ...]:
        """The instrument."""
        return (self.instrument,)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Measurement:
        """The measurement that `to_dict` wrote: values that its instrument can have measured."""
        from privopt.kernel.instrument import Instrument

        kind, version = Instrument.kind, Instrument.version
        instrument = Instrument.from_dict(part_of(data, data["instrument"], kind, version))
        noise, release = instrument.calibration, None
        if (noise is None) != (data["release"] is None):
            raise ValueError
        if noise is not None:
            release = Release.from_dict(data["release"])
            wanted = instrument.kernel.as_release(release.values, release.ledger)
            wanted = replace(wanted, date=release.date, guarantee=wanted.guarantee.stated())
            with np.errstate(over="ignore"):
                steps = np.ldexp(release.values, -noise.exponent)
            whole = np.isfinite(steps) & (steps == np.rint(steps))
            if not whole.all():
                raise ValueError
            release = wanted  # a file that says anything else has another digest
        return cls(instrument, release)
