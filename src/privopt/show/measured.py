"""What was measured, as it is looked at: values with their charge, or nothing at no charge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from privopt.arrays import Dense, Vector
from privopt.claims.guarantee import Claim
from privopt.errors import InputError
from privopt.shapes import folded
from privopt.show.pictures.picture import Picture
from privopt.show.result import Result
from privopt.show.view import Table, View

__all__ = ["MeasuredValues"]


class MeasuredValues(Result):
    """A release of values, or None where nothing was measured."""

    release: Any  # a `kernel.release.Release`, which is a room further

    @property
    def values(self) -> Vector:
        """Y."""
        return np.zeros(0) if self.release is None else self.release.values

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sums."""
        return () if self.release is None else self.release.names

    def arrays(self) -> dict[str, Dense]:
        """The values as arrays, where their names are of the form `load[1,2]`."""
        return folded(self.names, self.values)

    @property
    def epsilon(self) -> float:
        """What it cost."""
        return 0.0 if self.release is None else self.release.epsilon

    @property
    def delta(self) -> float:
        """What it cost."""
        return 0.0 if self.release is None else self.release.delta

    @property
    def claim(self) -> Claim | None:
        """What is claimed of privacy; None where nothing was measured."""
        return None if self.release is None else self.release.guarantee.privacy

    def __repr__(self) -> str:
        return (
            "Measurement(of nothing)" if self.release is None else f"Measurement({self.release!r})"
        )

    def view(self) -> View:
        """The values and what they cost."""
        if self.release is None:
            return View("Measurement", Table("sum", (), {}), notes=("Nothing was measured.",))
        return replace(self.release.view(), title="Measurement")

    def plot(self) -> Picture:
        """The values with the reach of their noise."""
        if self.release is None:
            raise InputError("nothing was measured.", "some values.", "measure a sum.")
        return self.release.plot()
