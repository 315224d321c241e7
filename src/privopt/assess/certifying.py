"""A sensitivity for every pair of neighbours: the recourse made public, the pieces enumerated.

The chance-constrained program is solved once, at the middle of the public domain. Its recourse Z
and its margins h_i(A_i Z) are kept for every d, and

    z~(d) = argmin { c(z) : A z <= b - h,  G z = d }

is then piecewise affine in d (`solving.solution_map`). The pieces are enumerated, and proven to
cover the domain (`regions`). Neighbours lie on a segment of length alpha along one entry, inside
the domain, which is convex: S z~ moves along it by no more
than slopes times lengths of the pieces it meets (`moves`; l1 norm for Laplace, l2 for Gaussian),
hence by no more than alpha times the largest slope, and mostly less.

The noise depends on the factor, the margins on the noise and the pieces on the margins: so factor
-> noise -> Z, h -> factor is repeated until the factor found is within the one put in (`factor`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from privopt.assess.factor import FactorSearch
from privopt.errors import CombinationError
from privopt.feasibility.protocol import Feasibility
from privopt.feasibility.registry import REFORMULATIONS
from privopt.mechanisms.certified import Certified, fingerprint
from privopt.mechanisms.private_data import PrivateData
from privopt.mechanisms.question import Question
from privopt.model.domain import Box, checked_domain
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise.calibration import Privacy
from privopt.scalars import whole
from privopt.solving.solver import Settings
from privopt.solving.threads import one_thread

__all__ = ["certify"]


def certify(
    program: ConvexProgram,
    query: Query,
    privacy: Privacy,
    feasibility: Feasibility,
    *,
    domain: Box,
    balance: Any = None,  # noqa: ANN401
    limit: int = 10_000,
    rng: int = 0,
    settings: Settings | None = None,
) -> Certified:
    """Certify the sensitivity of the paper's mechanism with a public recourse.

    Parameters
    ----------
    program
        A program whose cost is strictly convex in what the equalities leave free (a small quadratic
        cost will do). Private entries of d are not read; d=None will do where all are private.
    query, privacy, feasibility
        As for `solve`. The sensitivity in `privacy` is not used. Feasibility must be `Analytic`,
        `ExactBox`, `SampledBox` or `Always`: margins that depend on the recourse alone.
    domain
        Where the private entries of d can lie.
    balance
        Entries of d that absorb a change of a private one, as for `design`. The plan is for the
        private entries and what balances them: what d says of these entries is not read.
    limit
        Most pieces to look at. Seconds are limited by `settings.time_limit`.
    rng
        Seed of the draws of `SampledBox`.
    settings
        Tolerance, time limit, threads.

    Returns
    -------
    Certified
        For `solve(program, query, Laplace(..., sensitivity=certified), feasibility)`, which uses
        the certified map, recourse and margins, and clamps d to the domain. Its privacy claim is
        PROVEN if the certificate is `whole` (a plan is proven to exist for every d of the domain;
        none is refused), and ASSUMED otherwise.

    Raises
    ------
    NotCertifiedError
        A limit was reached. It says how many pieces were seen and the largest factor among them,
        which is no bound.
    InfeasibleError
        No plan exists at the middle of the domain under the noise that the factor asks for.
    CombinationError
        The cost leaves z open, or the margins depend on more than the recourse.

    Notes
    -----
    The number of pieces can grow exponentially with the rows that can bind. On the paper's
    instances (domain [0.5, 1] at every node) 3 to 39 nodes have 1 to 200 pieces, done in seconds;
    of ten instances of 57 nodes none was certified (ten minutes were not enough for one). Where the
    factor is large, the noise it asks for may leave no plan (4 in 10 instances of 14 nodes, 5 of
    57): `design` is then the way.

    Examples
    --------
    >>> import privopt as po
    >>> drawn = po.experiments.instance("3_lmbd", 2)
    >>> parts = drawn.program, drawn.query, po.Laplace(epsilon=1, alpha=0.1), po.ExactBox(eta=0.05)
    >>> found = po.assess.certify(*parts, domain=drawn.domain)
    >>> round(found.factor, 4), found.regions, found.whole
    (0.6502, 1, True)
    """
    question = Question(
        program, query, privacy, feasibility, rng=rng, settings=settings or Settings()
    ).started()
    _check(question.kept, domain)
    whole(limit, "limit", "leave it out.")
    with one_thread(when=program.n <= 500):
        data = PrivateData.of(program, *domain.ends(program.private_names), None, balance)
        search = FactorSearch(question, data, limit)
        found = search.found()
        if not found.regions.whole:
            found = search.hardened(found)
    return Certified.sealed(
        factor=found.factor,
        regions=len(found.regions.pieces),
        whole=found.regions.whole,
        recourse=np.asarray(found.plan.recourse),
        margins=found.margins,
        room=found.room,
        lower=data.lower,
        upper=data.upper,
        rounding=found.rounding,
        exponent=found.exponent,
        balance=data.balance,
        rule=found.plan.margins,
        feasibility=found.plan.guarantee.feasibility,
        fingerprint=fingerprint(question, data),
        map=found.map,
    )


def _check(feasibility: Feasibility, domain: object) -> None:
    if not feasibility.certifiable:
        *most, last = (one.kind for one in REFORMULATIONS if one.certifiable)
        raise CombinationError(
            f"{feasibility.kind} was handed to certify.",
            f"margins that depend on the recourse alone: {', '.join(most)} or {last}.",
            "use ExactBox for all rows together, or design, which takes every reformulation.",
        )
    checked_domain(domain)
