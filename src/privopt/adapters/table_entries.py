"""Which entry of d a row of a table is about: by bus and time, or by the entry's own name.

bus 3, time 07    ->   demand[3]@07          a program that knows its periods
bus 3             ->   demand[3]             one that has no periods
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from privopt.errors import InputError
from privopt.foreign import some
from privopt.model.program import ConvexProgram

__all__ = ["TableEntries", "cell_text"]

_NAME = re.compile(r"[^\[]*\[(?P<label>.*)\]")


@dataclass(frozen=True, eq=False, repr=False)
class TableEntries:
    """The entries of a program's d, as tables speak of them."""

    program: ConvexProgram

    @cached_property
    def by_name(self) -> dict[str, int]:
        """Positions in d by name."""
        return {name: k for k, name in enumerate(self.program.data_names)}

    @cached_property
    def times(self) -> dict[str, str]:
        """Labels of the periods as files write them: `07`, and `7` where that is one."""
        periods = self.program.periods
        labels = () if periods is None else periods.labels
        found = {label: label for label in labels}
        for label in labels:
            if label.isdecimal():
                found.setdefault(str(int(label)), label)
        return found

    @cached_property
    def by_bus(self) -> dict[str, dict[str, int]]:
        """Positions in d by bus, and by period ("" where the program has none)."""
        periods, private = self.program.periods, self.program.private.tolist()
        if periods is None:
            labels = [_label(name) for name in self.program.data_names]
            count = Counter(labels)
            return {one: {"": k} for k, one in enumerate(labels) if count[one] == 1}
        found: dict[str, dict[str, int]] = {}
        for bus, k, position in zip(periods.customers, periods.period, private, strict=True):
            found.setdefault(bus, {})[periods.labels[k]] = position
        return found

    def check_times(self, where: str, *, named: bool, timed: bool) -> None:
        """Refuse a table without times of a program that has periods, and the other way round."""
        periods = self.program.periods
        if timed and periods is None:
            raise InputError(
                f"{where} has a column of times, and the program is of one time.",
                "rows of one time, without that column; or a program with periods.",
                "keep the rows of one time, or make the program with network.program(periods=...).",
            )
        if periods is not None and not timed and not named and len(periods) > 1:
            raise InputError(
                f"{where} has no column for the time.",
                f"the period of each row: the program has {len(periods)} ({some(periods.labels)}).",
                'add it, or say which it is: columns = { time = "..." } (--columns "time=...").',
            )

    def positions(self, place: Any) -> Collection[int]:  # noqa: ANN401 -- a cell
        """Positions in d of what a site is at: an entry by its name, or a bus at all times."""
        text = cell_text(place)
        return [self.by_name[text]] if text in self.by_name else self._bus(text).values()

    def position(self, place: Any, time: Any, *, named: bool) -> int | None:  # noqa: ANN401 -- cells
        """Position in d of what a row is about; None if there is no such entry."""
        text = cell_text(place)
        if named or text in self.by_name:
            return self.by_name.get(text)
        label = "" if time is None else self.times.get(cell_text(time))
        if label is None:
            return None
        if self.program.periods is not None and time is None:
            label = self.program.periods.labels[0]
        return self._bus(text).get(label)

    def _bus(self, text: str) -> dict[str, int]:
        """Positions of a bus, which may be written 3.0: numbers of a column with gaps are."""
        return self.by_bus.get(text) or self.by_bus.get(text.removesuffix(".0"), {})


def _label(name: str) -> str:
    match = _NAME.fullmatch(name)
    return name if match is None else match["label"]


def cell_text(cell: Any) -> str:  # noqa: ANN401 -- a cell
    """What a cell says; nothing where it is missing or cannot say it. 11.0 is 11."""
    try:
        if isinstance(cell, float) and cell.is_integer():
            cell = int(cell)
        text = str(cell).strip()
    except Exception:  # of a frame, a cell can be any object
        return ""
    return "" if cell is None or text in ("nan", "NaT", "<NA>") else text
