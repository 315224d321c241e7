"""The trade-off between cost and fidelity, as one call and one picture.

`pareto(...)` designs a policy for each of some weights of fidelity, from none (the cheapest policy,
often a constant) to one that counts for everything, and keeps those that no other beats in both.
All of it is made from public data and may be published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt.digits import finite
from privopt.errors import InputError
from privopt.feasibility.protocol import Feasibility
from privopt.mechanisms.designing import designed, prepared
from privopt.mechanisms.fidelity import unit_weight
from privopt.mechanisms.measuring import check_measured
from privopt.mechanisms.policy import Policy
from privopt.mechanisms.question import Question
from privopt.model.domain import Box
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise.calibration import Privacy
from privopt.scalars import real, whole
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scatter import ScatterPoint, scatter
from privopt.show.result import Result
from privopt.show.view import Table, View
from privopt.solving.solver import Settings
from privopt.solving.structure import Shared
from privopt.solving.threads import one_thread

__all__ = ["Front", "pareto"]

_LEAST, _MOST = 1e-2, 1e4  # times the weight at which distance and one percent of cost are worth
_SAME = 1e-4  # relative: points nearer than this are one
_FOLLOWS = (
    "follows d by: the most that a released value moves over the domain, either way, without "
    "noise; zero tells nothing."
)
_LOSSES = (
    "loss: extra cost of the affine solution; completed: what is paid once a release is completed; "
    "tells: the share of what varies in the answers that the values tell."
)
_SPREAD = (
    "The non-private answers vary by {:.4g} about their mean: a release at a larger distance tells "
    "less than that mean, a public constant."
)
_ALONE = (
    "One policy is the cheapest and the nearest to the true answer at once: here fidelity costs "
    "nothing."
)


@dataclass(frozen=True, eq=False)
class Front(Result):
    """Policies that no other of the front beats both in cost and in distance, cheapest first.

    Attributes
    ----------
    policies
        The policies.
    weights
        The fidelity each was designed with.
    """

    policies: tuple[Policy, ...]
    weights: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.policies)

    def __repr__(self) -> str:
        return self.summary()

    def view(self) -> View:
        """Cost, loss, distance and noise of each policy."""
        count = f"{len(self)} policies" if len(self) > 1 else "1 policy"
        spread = self.policies[0].spread
        return View(
            f"Front: {count} at {self.policies[0].privacy.describe()}, cheapest first",
            Table(
                "fidelity",
                self.weights,
                {
                    "cost": [one.cost for one in self.policies],
                    "loss, %": [100 * one.loss for one in self.policies],
                    "completed, %": [
                        finite(100 * one.completed_loss.value) for one in self.policies
                    ],
                    "distance": [one.distance for one in self.policies],
                    "tells, %": [_tells(one) for one in self.policies],
                    "noise level s": [one.sensitivity for one in self.policies],
                    "follows d by": [float(one.reach.max()) for one in self.policies],
                },
            ),
            notes=(
                _LOSSES,
                _FOLLOWS,
                *(() if spread is None else (_SPREAD.format(spread),)),
                *((_ALONE,) if len(self) == 1 else ()),
            ),
        )

    def nearest(self, distance: float) -> Policy:
        """The cheapest policy of the front whose expected distance is at most `distance`."""
        for one in self.policies:
            if one.distance <= distance:
                return one
        raise InputError(
            f"no policy of the front lies within a distance of {distance:g}.",
            f"at least {self.policies[-1].distance:.4g}.",
            "ask for a larger distance, or design with a larger epsilon.",
        )

    def plot(self) -> Picture:
        """Expected extra cost against expected distance, a point for each policy."""
        # Labels at the ends and the middle; the others show theirs when pointed at.
        named = {0, len(self) // 2, len(self) - 1}
        points = [
            ScatterPoint(
                one.distance,
                100 * one.loss,
                f"s = {one.sensitivity:.2g}" if one.follows else "tells nothing",
                is_open=not one.follows,
                written=k in named,
            )
            for k, one in enumerate(self.policies)
        ]
        return scatter(
            points,
            "distance of the release from the true answer",
            "extra cost, as designed (%)",
            f"Cost against fidelity at {self.policies[0].privacy.describe()}",
            "Both are expected. Open: the values do not follow the data.",
            joining=True,
        )


def _tells(policy: Policy) -> float | None:
    return None if policy.worth is None else finite(100 * policy.worth.tells)


def pareto(
    program: ConvexProgram,
    query: Query,
    privacy: Privacy,
    feasibility: Feasibility,
    *,
    domain: Box,
    points: int = 9,
    prior: Any = None,  # noqa: ANN401
    floor: float = 0.0,
    balance: Any = None,  # noqa: ANN401
    structure: Shared | None = None,
    measure: Any = None,  # noqa: ANN401
    rng: int | np.random.Generator | None = None,
    settings: Settings | None = None,
) -> Front:
    """Design policies along the trade-off between cost and fidelity.

    Parameters
    ----------
    points
        Number of weights that are tried; points that lie together, or are beaten, are left out.
    program, query, privacy, feasibility, domain, prior, floor, balance, structure, measure
        As for `design`.
    rng, settings
        As for `design`. The time limit is for all of it.
    """
    count = whole(points, "points", "use about 9.", low=2)
    least = real(floor, "floor", "a number >= 0.", "use 1.0 for the paper's noise.", low=0.0)
    if measure is not None:
        check_measured(least, structure)
    with one_thread():
        question = Question(
            program, query, privacy, feasibility, rng=rng, settings=settings or Settings()
        )
        task = prepared(question, domain, prior, balance, structure, measure)
        cheapest = designed(task, 0.0, least)
        unit = unit_weight(task.scale, cheapest.distance)
        weights = [0.0, *(unit * np.geomspace(_LEAST, _MOST, count - 1)).tolist()]
        made = [cheapest, *(designed(task, weight, least) for weight in weights[1:])]
    return _unbeaten(made, weights)


def _unbeaten(made: list[Policy], weights: list[float]) -> Front:
    """Those that no other beats in both."""
    order = sorted(range(len(made)), key=lambda i: (made[i].cost, made[i].distance))
    kept: list[int] = []
    for i in [0, *order]:  # the cheapest was designed first, up to rounding
        if not kept or made[i].distance < (1 - _SAME) * made[kept[-1]].distance:
            kept.append(i)
    return Front(tuple(made[i] for i in kept), tuple(float(weights[i]) for i in kept))
