"""A frontier: what a plan or a decision costs and tells as one parameter changes.

Beside decisions stands the constant, which costs no epsilon: what they must beat. A frontier of
plans is private, because their costs depend on d; decisions are simulated: measured, decided and
completed at public draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from privopt.claims.units import UnitLabels
from privopt.claims.worth import HALF, Worth, tells_words, told_percent
from privopt.digits import finite
from privopt.show.pictures.curve import curve
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.stacked import stacked
from privopt.show.result import Result, unseen
from privopt.show.units import axis, one_unit
from privopt.show.view import Fact, Table, View
from privopt.show.worth import worth_line

__all__ = ["LOGARITHMIC", "Frontier", "FrontierPoint"]

LOGARITHMIC = ("epsilon", "alpha", "eta", "fidelity")  # of which only ratios matter
_DASHED = " Dashed: the constant, which costs no epsilon."
_DOTTED = " Dotted: the mean answer; values farther off tell nothing."
_CONSTANT = "constant"
_LOSSES = (
    "Loss: extra cost of the affine solution. Completed: what is paid once the curator has "
    "re-optimised what is not released."
)
_TELLS = (
    "Tells: the share of what varies in the answers that the values tell. The constant costs no "
    "epsilon and tells nothing: what is paid for should beat it."
)
_SIMULATED = (
    "Completed: extra cost once the curator has optimised what is not released, simulated on "
    "public draws of data and noise."
)


@dataclass(frozen=True, repr=False)
class FrontierPoint:
    """One value of the parameter, and what came of it. Private, if it is about a plan.

    Attributes
    ----------
    status
        "solved", "infeasible", or "failed" (the solver gave no answer).
    cost, loss
        Expected cost of the affine solution, and its excess over the optimum's as a fraction; no
        loss over a cost of 0. Of a plan.
    completed
        The loss after completion; None where no simulated release could be completed.
    worth
        Of a decision: how far off its values are, and what they tell.
    """

    value: float
    status: str
    cost: float | None = None
    loss: float | None = None
    completed: float | None = None
    worth: Worth | None = None

    @property
    def distance(self) -> float | None:
        """Expected distance from the non-private answer."""
        return None if self.worth is None else finite(self.worth.distance)

    @property
    def tells(self) -> float | None:
        """The share of what varies in the answers that is told; None where nothing varies."""
        return None if self.worth is None else finite(self.worth.tells)

    @property
    def told(self) -> float | None:
        """The same in percent, as it is shown."""
        return None if self.worth is None else told_percent(self.worth.tells)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        names = ("value", "status", "cost", "loss", "distance", "completed", "tells")
        verdict = None if self.worth is None else self.worth.verdict
        return {**{name: getattr(self, name) for name in names}, "verdict": verdict}


@dataclass(frozen=True, repr=False)
class Frontier(Result):
    """Points along the parameter `over`, in the order of its values.

    It is `private` if it is about plans: then it depends on d and is the curator's. Else it is
    about decisions, and `constant` is the decision from nothing, at epsilon 0; None if there is
    none. `units` are those of the values.
    """

    over: str
    private: bool
    points: tuple[FrontierPoint, ...]
    constant: FrontierPoint | None = None
    units: UnitLabels | None = None

    def __repr__(self) -> str:
        kind = "plans; private: read .points" if self.private else "decisions"
        return f"Frontier({len(self.points)} values of {self.over}, {kind})"

    @property
    def _words(self) -> tuple[str, str]:
        """What it is about, many and one."""
        return ("Plans", "plan") if self.private else ("Decisions", "decision")

    def view(self) -> View:
        """What each value costs and tells."""
        shown = [*self.points, *([] if self.constant is None else [self.constant])]
        columns: dict[str, Any] = {"status": [point.status for point in shown]}
        if self.private:
            columns["cost"] = [point.cost for point in shown]
            columns["loss, %"] = [_percent(point.loss) for point in shown]
        columns["completed, %"] = [_percent(point.completed) for point in shown]
        if not self.private:
            columns[axis("distance", self.units)] = [point.distance for point in shown]
            columns["tells, %"] = [point.told for point in shown]
        what, one = self._words
        values = [point.value for point in self.points]
        rows = [*values, *([] if self.constant is None else [_CONSTANT])]
        none = sum(point.status != "solved" for point in self.points)
        return View(
            f"{what} over {self.over}",
            Table(self.over, rows, columns, f"by {self.over}"),
            tuple(self._told()),
            notes=(_LOSSES,) if self.private else (_SIMULATED, _TELLS),
            warnings=(f"No {one} at {none} of {len(values)} values.",) if none else (),
            private=self.private,
            lead=f"What privacy costs as {self.over} changes and all else stays as it is.",
        )

    def _told(self) -> Iterator[Fact]:
        """The verdict at both ends, and where half of what varies is told."""
        known = [point for point in self.points if point.worth is not None]
        ends = dict.fromkeys((known[0].value, known[-1].value)) if known else {}
        for point in known:
            if point.value in ends:
                yield Fact(f"{self.over} {point.value:g}", worth_line(point.worth))
        if known:
            least = "none" if self.half is None else f"{'< ' * self.below}{self.half:g}"
            caption = f"least {self.over} of these at which half of what varies is told"
            yield Fact("half is told", self._half_words(), least, caption)

    @property
    def _enough(self) -> list[float]:
        """The values at which half of what varies is told, of those that are known."""
        known = [point for point in self.points if point.worth is not None]
        return [point.value for point in known if (point.tells or 0.0) >= HALF]

    @property
    def half(self) -> float | None:
        """The least of these values at which half of what varies is told; None: at none."""
        return min(self._enough, default=None)

    @property
    def below(self) -> bool:
        """Whether that is only a bound: half is told at the least epsilon there is an answer at."""
        known = [point.value for point in self.points if point.worth is not None]
        return self.over == "epsilon" and bool(known) and self.half == min(known)

    def _half_words(self) -> str:
        enough, known = self._enough, [p.value for p in self.points if p.worth is not None]
        if not enough:
            return f"at none of these values of {self.over}"
        if self.below:
            share = next(p.worth for p in self.points if p.value == self.half)
            told = "" if share is None else f", which tells {tells_words(share.tells)}"
            return f"below {self.over} {self.half:g}, the least of these{told}"
        if len(enough) == len(known):
            return f"at all of these values of {self.over}"
        return f"at {self.over} {', '.join(f'{value:g}' for value in enough)}"

    @property
    def spread(self) -> float | None:
        """The distance of the mean answer, where that is the same at every value."""
        known = {p.worth.spread for p in self.points if p.worth is not None and p.worth.known}
        return known.pop() if len(known) == 1 else None

    def _repr_html_(self) -> str:
        return unseen(self) if self.private else super()._repr_html_()

    def pictures(self) -> tuple[Picture, ...]:
        """Loss (and, of decisions, distance) against the parameter. Those of plans are private."""
        where = "" if self.private else ", over the public domain"
        still = self.constant
        values = [(point.value, _percent(point.completed)) for point in self.points]
        levels = [("the constant", None if still is None else _percent(still.completed))]
        cost = (
            f"Expected extra cost over the optimum without privacy{where}, once the curator has "
            f"re-optimised what is not released.{'' if still is None else _DASHED}"
        )
        loss = curve(values, self.over, "completed loss, %", levels,
                     name="Loss after completion", caption=cost)  # fmt: skip
        if self.private:
            return (loss,)
        far = (
            "Expected distance of the release from the non-private answer, bias and noise"
            f"{where}.{'' if still is None else _DASHED}{'' if self.spread is None else _DOTTED}"
        )
        distances = [(point.value, point.distance) for point in self.points]
        levels = [
            ("the constant", None if still is None else still.distance),
            ("the mean answer", self.spread),
        ]
        up = axis("distance", self.units)
        return loss, curve(distances, self.over, up, levels, name="Distance", caption=far,
                           ink="box")  # fmt: skip

    def plot(self) -> Picture:
        """The pictures as one. That of plans is private."""
        none = sum(point.status != "solved" for point in self.points)
        below = [f"no solution at {none} of {len(self.points)} values"] if none else []
        below += [f"{fact.name}: {fact.text}" for fact in self._told()]
        title = f"{'PRIVATE: plans' if self.private else self._words[0]} over {self.over}"
        return stacked(self.pictures(), title, "; ".join(below))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        points = [point.to_dict() for point in self.points]
        constant = None if self.constant is None else self.constant.to_dict()
        found = {"over": self.over, "private": self.private, "points": points}
        if self.private:
            return found
        half = {"least": self.half, "is_bound": self.below}
        unit = {} if self.units is None else {"unit": one_unit(self.units)}
        return {**found, "constant": constant, "half": half, **unit}


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
