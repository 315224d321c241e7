"""A search for two neighbours whose releases lie far apart.

The privacy loss of the paper's mechanism is that of its noise between S z~(d) and S z~(d') (see
`loss`), and any pair d, d' that differ in one private entry by at most alpha bounds it from below.
Pairs come from three places, the best are then climbed from:

- the map with margins held at those of the middle of the domain, which is cheap (`steep_pairs`)
- the middle of the domain, vertices and random points, with every private entry moved by alpha
- random changes of the best pairs, smaller and smaller, as long as the distance grows

Only the public domain is searched. The map is that of the real mechanism: each end is a `solve`.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from privopt.arrays import Vector
from privopt.assess.bound import LowerBound, ReleasedValues, Witness
from privopt.assess.pairs import Pairs
from privopt.assess.steep_pairs import steep_pairs, steeper_pairs
from privopt.errors import InfeasibleError, InputError, SolverError
from privopt.feasibility.protocol import Feasibility
from privopt.mechanisms.private_data import PrivateData
from privopt.mechanisms.question import Question
from privopt.mechanisms.randomness import generator_of
from privopt.model.domain import Box, checked_domain
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise.calibration import Privacy
from privopt.noise.sensitivity import largest_column_norm
from privopt.scalars import whole
from privopt.solving.solver import Settings
from privopt.solving.threads import one_thread

__all__ = ["lower_bound"]

_CLIMBED = 3  # pairs climbed from
_FIRST = 0.6  # of the solves go to steep pairs and to pairs met at random, the rest to climbing
_TIGHTER, _LOOSER = 1e-2, 1e1


def lower_bound(
    program: ConvexProgram,
    query: Query,
    privacy: Privacy,
    feasibility: Feasibility | None = None,
    *,
    domain: Box,
    balance: Any = None,  # noqa: ANN401
    tries: int = 1000,
    rng: int | np.random.Generator | None = 0,
    settings: Settings | None = None,
) -> LowerBound:
    """Search neighbours whose releases lie far apart: the true epsilon is at least what they show.

    Parameters
    ----------
    program, query, privacy, feasibility
        As for `solve`; feasibility None is the optimum without margins (output perturbation). The
        noise is calibrated as `privacy` says, with its sensitivity. Private entries of d are not
        read.
    domain
        Where the private entries of d can lie.
    balance
        Where G is rank-deficient: the entries of d that absorb a change of a private one.
    tries
        Number of solves, about.
    rng
        Seed or generator of the search.
    settings
        Of each solve.

    Returns
    -------
    LowerBound
        factor, epsilon and the pair that shows them (`witness`, which can be checked). What was not
        searched may be worse: this is no bound from above.

    Raises
    ------
    InfeasibleError, SolverError
        No pair of neighbours could be solved.
    """
    question = Question(program, query, privacy, feasibility, settings=settings or Settings())
    checked_domain(domain)
    tries = whole(tries, "tries", "use 1000, or more for a better bound.", low=10)
    generator = generator_of(rng)
    data = PrivateData.of(program, *domain.ends(program.private_names), None, balance)
    if not len(data.moving):
        raise InputError("the domain is a single point.", "a domain with neighbours.", "widen it.")
    calibration = question.calibration
    question = question.under(rng=int(generator.integers(2**31)))
    values = ReleasedValues(question)
    with one_thread(when=program.n <= 500):
        search = Pairs(lambda u: values.at(data.whole(u)), data, privacy, generator)
        share = _FIRST * tries
        for pair in steep_pairs(question, data, search):
            if values.evaluations < share:
                search.measure(pair)
        for pair in search.best():  # again, with the margins of each
            if values.evaluations < share:
                values.evaluations += 1
                for steeper in steeper_pairs(question, data, search, pair):
                    search.measure(steeper)
        search.scan(lambda: values.evaluations < share)
        ends = np.linspace(share, tries - 4, _CLIMBED + 1)[1:]
        for pair, end in zip(search.best(), ends, strict=False):
            search.climb(pair, lambda end=end: values.evaluations < end)
        witness = _witness(values, data, search)
    unit = privacy.one_alpha * largest_column_norm(question.S, privacy.order)
    return LowerBound(
        factor=witness.distance / unit,
        epsilon=calibration.loss(witness.moved, privacy.delta),
        delta=privacy.delta,
        claimed=privacy.epsilon,
        witness=witness,
        evaluations=values.evaluations,
        infeasible=values.infeasible,
        failed=values.failed,
    )


def _witness(values: ReleasedValues, data: PrivateData, search: Pairs) -> Witness:
    """The farthest pair whose ends can be solved again, from nothing, to two tolerances."""
    question = values.question
    program, settings = question.program, question.settings
    others = (max(_TIGHTER * settings.tolerance, 1e-12), min(_LOOSER * settings.tolerance, 1e-6))
    for pair in search.best():
        ends = [data.whole(u) for u in (pair.u, pair.other)]
        found: list[tuple[Vector, Vector]] = []
        for d in ends:
            here = values.at(d, cold=True)
            again = values.at(d, cold=True, settings=settings.easier(others[0]))
            if again is None:  # too tight: a looser one errs more, so it will do for the error
                again = values.at(d, cold=True, settings=settings.easier(others[1]))
            if here is not None and again is not None:
                found.append((here, np.abs(here - again)))
        if len(found) < 2:
            continue
        (first, error), (second, more) = found
        errors = 2 * (error + more)
        moved = np.maximum(np.abs(first - second) - errors, 0.0)
        distance = float(np.linalg.norm(moved, ord=question.privacy.order))
        return Witness(
            entry=program.data_names[int(program.private[pair.j])],
            d=ends[0],
            neighbour=ends[1],
            values=first,
            others=second,
            errors=errors,
            distance=distance,
            seed=cast("int", question.rng),
            names=question.names,
        )
    if values.infeasible == values.evaluations:
        raise InfeasibleError(
            f"none of {values.evaluations} points of the domain has a solution.",
            "a domain on part of which the program and its margins can be met.",
            "check the domain; use less noise or a larger eta.",
        )
    raise SolverError(
        f"no pair of neighbours could be solved ({values.infeasible} of {values.evaluations} "
        f"solves had no solution, {values.failed} no answer).",
        "at least one pair.",
        "use more tries, a wider domain, or relax Settings(tolerance=, time_limit=).",
    )
