"""What a program over a horizon can do besides: read frames of loads, give solutions as frames.

A frame has a row for each period and a column for each bus (or unit). Flattened, period comes after
period, and within one the buses in the order of the file: d is `frame.to_numpy().ravel()`, plus
what buses take that is no load (shunts, phase shifters), with what buses without a column take
between: both are public, and mostly zero.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from privopt import arrays
from privopt.arrays import Dense, Vector
from privopt.errors import InputError
from privopt.extra import library
from privopt.foreign import some
from privopt.model.domain import Box
from privopt.model.periods import Periods
from privopt.model.program import ConvexProgram

__all__ = ["HorizonProgram", "aligned", "columns_of"]

_NAME = re.compile(r"(?P<kind>[^\[]*)\[(?P<label>.*)\]")


class HorizonProgram(ConvexProgram):
    """A `ConvexProgram` over several periods of a network. Made by `Network.program(periods=...)`.

    Variables are named `p[3]@07` (the unit at bus 3 in period 07), private entries `demand[3]@07`.
    `periods` says which private entry belongs to which period and bus; its `customers` are the
    owners for noise that protects a bus over all periods.
    """

    def __init__(
        self,
        periods: tuple[str, ...],
        buses: tuple[str, ...],
        metered: tuple[str, ...],
        other: Vector,
        **data: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(**data)
        self._buses, self._metered, self._other = buses, metered, other
        self.periods: Periods = Periods.grid(periods, metered)  # pyright: ignore[reportIncompatibleVariableOverride] -- it always has some

    @property
    def _places(self) -> list[int]:
        """Positions of the private loads in the data of a period."""
        return [self._buses.index(bus) for bus in self._metered]

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the periods."""
        return self.periods.labels

    def at(self, d: Any) -> HorizonProgram:  # noqa: ANN401
        """The same program with other loads, as in `data`."""
        return cast("HorizonProgram", super().at(self.data(d)))

    def data(self, d: Any) -> Any:  # noqa: ANN401
        """A frame of loads (periods x buses, per unit) as the vector d. A vector is left as it is.

        It is what `instrument.measure` takes. Columns are the numbers of the buses whose loads are
        private, in any order. Rows are the periods: in any order if the
        labels are theirs, in time order otherwise.
        """
        if not arrays.is_frame(d):
            return d
        whole = np.tile(self._other, (len(self.labels), 1))
        whole[:, self._places] += aligned(d, self.labels, self._metered, private=True)
        return arrays.curated(whole.ravel(), whole.size, "the loads")

    def loads(self, d: Any = None) -> Any:  # noqa: ANN401 -- a pandas frame
        """The loads in d (its own unless given) as a frame, periods by buses. Private."""
        given = self.d if d is None else arrays.curated(d, self.G.shape[0], "d", self.data_names)
        table = given.reshape(len(self.labels), -1) - self._other
        return self._frame(table[:, self._places], self._metered)

    def between(self, lower: Any, upper: Any) -> Box:  # noqa: ANN401
        """The domain of loads between two frames of loads, as `data` reads them. Public."""
        low, high = (
            arrays.vector(self.data(end), self.G.shape[0], "loads") for end in (lower, upper)
        )
        return Box(low[self.private], high[self.private])

    def frames(self, values: Any, names: Sequence[str] | None = None) -> dict[str, Any]:  # noqa: ANN401
        """Values by what they are: frames of periods by units, such as `frames(z)["p"]`.

        Parameters
        ----------
        values
            A solution z; or released values with their names: anything that has `values` and
            `names`, as a decision and a release have.
        names
            Of the values, if they are no solution and have none of their own.
        """
        labels = names or (self.names if not hasattr(values, "names") else values.names)
        given = values.values if names is None and hasattr(values, "names") else values
        point = arrays.vector(given, len(labels), "values", private=True)
        row = {label: k for k, label in enumerate(self.labels)}
        found: dict[str, dict[str, Vector]] = {}
        for name, value in zip(labels, point, strict=True):
            stem, _, period = name.rpartition("@")
            match = _NAME.fullmatch(stem)
            if match is None or period not in row:
                raise InputError(
                    f"{name!r:.40} is no value of one period.",
                    "names such as 'p[3]@07'.",
                    "pass a solution z, or values of Identity queries with their names.",
                )
            column = found.setdefault(match["kind"], {})
            column.setdefault(match["label"], np.full(len(row), np.nan))[row[period]] = value
        return {
            kind: self._frame(np.column_stack(list(columns.values())), tuple(columns))
            for kind, columns in found.items()
        }

    def _frame(self, table: Any, columns: tuple[str, ...]) -> Any:  # noqa: ANN401 -- pandas
        pandas = library("pandas", "report")
        index = pandas.Index(self.labels, name="period")
        return pandas.DataFrame(table, index=index, columns=list(columns))


def aligned(
    frame: Any,  # noqa: ANN401 -- pandas
    periods: Sequence[str],
    buses: Sequence[str],
    *,
    private: bool = False,
) -> Dense:
    """The numbers of a frame in order, periods by buses; its labels are public."""
    columns = columns_of(frame)
    if set(columns) != set(buses) or len(columns) != len(buses):
        unknown = [label for label in columns if label not in set(buses)]
        missing = [bus for bus in buses if bus not in set(columns)]
        raise InputError(
            f"the columns of the frame are not the buses: unknown {some(unknown)}, "
            f"missing {some(missing)}.",
            "a column for each bus whose load is private, named by its number, each once.",
            "see program.periods.customers; reindex the frame.",
        )
    rows = arrays.labels_of(frame.index)
    if len(rows) != len(periods):
        raise InputError(
            f"the frame has {len(rows)} rows.",
            f"{len(periods)}, one for each period.",
            "cut it to the horizon, or make the program with periods=len(frame).",
        )
    order = list(range(len(rows)))
    if set(rows) == set(periods):
        order = [rows.index(period) for period in periods]
    values = arrays.numbers(frame.to_numpy(), beyond=private)
    if values is None:
        raise InputError("the frame holds no numbers.", "numbers.", "convert its columns.")
    return values[order][:, [columns.index(bus) for bus in buses]]


def columns_of(frame: Any) -> list[str]:  # noqa: ANN401 -- pandas
    """The buses that the columns of a frame are about: `3`, or `demand[3]`."""
    found: list[str] = []
    for label in arrays.labels_of(frame.columns):
        match = _NAME.fullmatch(label)
        found.append(label if match is None or match["kind"] != "demand" else match["label"])
    return found
