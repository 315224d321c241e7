"""What touches the private data: clamp, multiply in exact integers, add noise. All of it is here.

    y = round(map(clamp(d))) + noise      the map in integers (`fixed`), the noise on its grid

The sensitivity of the map is an exact fraction, and the noise was calibrated to it; both are looked
at again when an instrument is read from a file, and the claim is made anew from them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt import arrays
from privopt.arrays import Vector
from privopt.claims.guarantee import Guarantee
from privopt.claims.units import UnitLabels
from privopt.discreet import discreet
from privopt.errors import SolverError
from privopt.kernel.fixed import FixedMap
from privopt.kernel.release import Release
from privopt.kernel.releasing import released
from privopt.ledger.entry import Entry
from privopt.ledger.ledger import Ledger
from privopt.ledger.request import Request
from privopt.noise.calibration import Calibration, Privacy

__all__ = ["NoisyMap", "calibrated", "checked"]


@dataclass(frozen=True, repr=False, eq=False)
class NoisyMap:
    """The part of an instrument that reads d.

    Attributes
    ----------
    names
        Names of the sums.
    data_names, private
        Names of the entries of d, and the positions of those that are read.
    privacy, calibration
        What was asked, and the noise that came of it; None where nothing is measured.
    map
        The sums, in exact integers.
    guarantee
        What is claimed of privacy, by this map and noise.
    subject, query
        Digests of the record of the instrument, and of its sums: by these a ledger knows it.
    units
        What the data and the sums are counted in, if that is known: a release says so.
    """

    names: tuple[str, ...]
    data_names: tuple[str, ...]
    private: NDArray[np.int64]
    privacy: Privacy
    map: FixedMap
    calibration: Calibration | None
    guarantee: Guarantee
    subject: str
    query: str
    units: UnitLabels | None = None

    def __repr__(self) -> str:
        return f"NoisyMap({len(self.names)} sums of {len(self.private)} private entries)"

    def release(
        self,
        d: Any,  # noqa: ANN401
        ledger: Ledger | None = None,
        key: str | None = None,
    ) -> Release:
        """The noisy sums of the private data d; see `Instrument.measure`."""
        arrays.check_length(d, len(self.data_names), "d", labels=self.data_names)
        return released(
            self.request, lambda entry: self._made(d, entry), ledger, key, self.guarantee
        )

    def request(self) -> Request:
        """What a measurement is charged for: public parameters, and digests."""
        return Request.of(
            self.privacy,
            self.calibration,
            mechanism="measurement",
            provenance=self.guarantee.privacy.provenance.value,
            private=[self.data_names[int(i)] for i in self.private],
            subject=self.subject,
            query=self.query,
            unit=None if self.units is None else self.units.data,
        )

    def entries(self, d: Any) -> Vector:  # noqa: ANN401
        """The private entries of d. Nothing about their values is said if they will not do."""
        return arrays.curated(d, len(self.data_names), "d", self.data_names)[self.private]

    @property
    def noise(self) -> Calibration:
        """The calibration of a map that has rows."""
        if self.calibration is None:
            raise RuntimeError("nothing is measured, so nothing is drawn")
        return self.calibration

    @discreet
    def _made(self, d: Any, entry: Entry | None) -> Release:  # noqa: ANN401
        private = self.entries(d)
        return self.as_release(
            self.noise.draw(self.map.on_grid(private, self.noise.exponent)), entry
        )

    def as_release(self, values: Vector, entry: Entry | None) -> Release:
        """Values that were drawn, with their charge and what is claimed of them."""
        noise = self.noise
        return Release(
            values=values,
            names=self.names,
            epsilon=noise.epsilon,
            delta=noise.delta,
            alpha=self.privacy.neighbours.largest,
            scale=noise.scale,
            exponent=noise.exponent,
            mechanism="measurement",
            guarantee=self.guarantee,
            ledger=entry,
            maker=self.subject,
            units=self.units,
        )


def calibrated(privacy: Privacy, exact: FixedMap, unit: Calibration) -> Calibration:
    """Noise for the exact sensitivity of a map, grid included.

    `unit` is noise of ordinary size, from whose grid the search for a finer one starts.
    """
    p, k = len(exact.offset), unit.exponent - 60
    bound, relation = exact.bound(), privacy.neighbours.widened(*exact.box)
    for _ in range(20):
        found = privacy.calibrate(p, exact.sensitivity(relation, privacy.order, k), bound=bound)
        if found.exponent <= k:
            return found
        k = found.exponent
    raise SolverError(
        "no grid was found for this noise.",
        "noise of ordinary size.",
        "use epsilon and alpha of ordinary size.",
    )


def checked(privacy: Privacy, exact: FixedMap, noise: Calibration | None) -> Calibration | None:
    """The noise of a file; ValueError unless it covers the sensitivity of its map.

    That is for the curator's neighbours, with what the conversion of decimals to floats may move.
    """
    relation = privacy.neighbours
    relation.groups(len(exact.low))  # ValueError, if it is about another number of entries
    if noise is None:
        if any(int(value) for value in exact.matrix.ravel()) or exact.bound() == math.inf:
            raise ValueError
        return None
    Delta = exact.sensitivity(relation.widened(*exact.box), privacy.order, noise.exponent)
    if Delta > noise.sensitivity:
        raise ValueError
    return noise
