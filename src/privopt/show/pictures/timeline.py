"""What was spent over time, as steps below the limit, with a mark for each charge.

Of very many events some are drawn: the last of each small part of the picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

from privopt.show.pictures.frame import Axis, Canvas, grid
from privopt.show.pictures.legend import legend
from privopt.show.pictures.marks import mark
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scale import Scale, up_scale
from privopt.show.pictures.shapes import line
from privopt.show.pictures.svg import joined

__all__ = ["Moment", "timeline"]

_MOST = 200  # moments that are drawn
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_STEPS = (
    1, 5, 15, 30, _MINUTE, 5 * _MINUTE, 15 * _MINUTE, 30 * _MINUTE, _HOUR, 3 * _HOUR, 6 * _HOUR,
    12 * _HOUR, _DAY, 2 * _DAY, 7 * _DAY, 14 * _DAY, 30 * _DAY, 91 * _DAY, 182 * _DAY, 365 * _DAY,
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class Moment:
    """What was spent and what was the limit after something happened.

    `kind` is "charge", "burnt" (a charge without output), or "" for anything else.
    """

    time: str
    spent: float
    limit: float
    kind: str
    text: str


def timeline(moments: Iterable[Moment], of: str, caption: str = "") -> Picture:
    """The steps of what was spent, below those of the limit."""
    all_of_them = list(moments)
    events = _thinned(all_of_them)
    times = [_seconds(one.time) for one in events]
    box = Canvas(400, 300, top=36)
    first, last = min(times), max(times)
    room = 0.03 * (last - first) or 1.0
    across = Scale(first - room, last + room, *box.x)
    up = up_scale([max(one.spent, one.limit) for one in events], *box.y)
    spent = [(across.at(t), up.at(one.spent)) for t, one in zip(times, events, strict=True)]
    limit = [(across.at(t), up.at(one.limit)) for t, one in zip(times, events, strict=True)]
    marks = [
        mark("cross" if one.kind == "burnt" else "dot", x, y, 4,
             "bad" if one.kind == "burnt" else "analytic", one.text)
        for one, (x, y) in zip(events, spent, strict=True)
        if one.kind
    ]  # fmt: skip
    burnt = (
        [("charge without output", "bad", "cross")]
        if any(e.kind == "burnt" for e in events)
        else []
    )
    some = f" {len(events)} of {len(all_of_them)} events." if len(events) < len(all_of_them) else ""
    now = events[-1]
    charges = sum(bool(one.kind) for one in all_of_them)
    return Picture(
        "What was spent, and when",
        f"{of}: {now.spent:.6g} of {now.limit:.6g} after {charges} charges, from {events[0].time} "
        f"to {now.time}.",
        box.width,
        box.height,
        joined(
            legend([(f"{of} spent", "analytic", "dot"), ("limit", "limit", "dash"), *burnt], 8),
            grid(box, Axis(across, "time (UTC)", _ticks(first, last, room)), Axis(up, of)),
            line(_stepped(limit, box.x[1]), "limit", 1.6, "6 5", "limit"),
            line(_stepped(spent, box.x[1]), "analytic"),
            *marks,
        ),
        f"{caption}{some}".strip(),
    )


def _thinned(moments: Sequence[Moment]) -> list[Moment]:
    """All of them, or every so manieth and the last."""
    step = -(-len(moments) // _MOST)
    return [one for k, one in enumerate(moments, 1) if k % step == 0 or k in (1, len(moments))]


def _stepped(points: Sequence[tuple[float, float]], end: float) -> list[tuple[float, float]]:
    """Level until the next point, then up or down; level to the end of the axis."""
    found = [points[0]]
    for (_, before), (x, y) in pairwise(points):
        found += [(x, before), (x, y)]
    return [*found, (end, points[-1][1])]


def _seconds(time: str) -> float:
    return datetime.fromisoformat(time).replace(tzinfo=UTC).timestamp()


def _ticks(first: float, last: float, room: float) -> list[tuple[float, str]]:
    """Round times, at most five; the only one where all is at once."""
    step = next((one for one in _STEPS if (last - first) / one <= 4), _STEPS[-1])
    if last <= first:
        return [(first, _written(first, _DAY))]
    start = -(-(first - room) // step) * step
    count = int((last + room - start) // step) + 1
    every = -(-count // 5)
    return [(t, _written(t, step)) for k in range(0, count, every) for t in [start + k * step]]


def _written(time: float, step: float) -> str:
    form = "%H:%M:%S" if step < _MINUTE else "%H:%M" if step < 12 * _HOUR else "%Y-%m-%d"
    return datetime.fromtimestamp(time, UTC).strftime(form)
