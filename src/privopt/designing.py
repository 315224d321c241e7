"""The certified mechanism: a convex program over public data whose releases are provably private.

    z(u, xi) = z0 + K u + Z xi,     u = d - middle of the domain, xi noise of scale lambda

    minimise   the expected cost over a public prior (plus fidelity * E||S z - S z*||^2)
    subject to G z0 = d0,  G K = F,  G Z = 0,  S Z = s I,  ||S K e_j|| <= s for every private j
               A_i z0 + |A_i K| w + margin(A_i Z) <= b_i

K, z0, Z and s are public and the map is affine, so y = S z0 + S K u + s xi is private for *every*
pair of neighbours: noise of scale s lambda hides what ||S K e_j|| alpha can move. s is optimised
too. Nothing here reads a private entry of d; with d=None nothing could.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from privopt.arguments import check_arguments
from privopt.conic.design import Designed, DesignProgram
from privopt.conic.margins import Margins
from privopt.conic.problem import Outcome
from privopt.conic.solver import Settings
from privopt.domain import Box
from privopt.errors import CombinationError, InfeasibleError, InputError, SolverError
from privopt.exact_policy import Solution, exact_policy
from privopt.feasibility.protocol import Feasibility, Settled
from privopt.guarantee import Claim, Provenance, Scope
from privopt.implementable import check_implementable
from privopt.magnitude import public_bound
from privopt.noise.calibration import Privacy
from privopt.noise.sensitivity import Assumed
from privopt.policy import Policy
from privopt.private_data import PrivateData
from privopt.program import ConvexProgram
from privopt.query import Query, still_entries
from privopt.randomness import generator_of
from privopt.scalars import real
from privopt.threads import one_thread

__all__ = ["design"]

_SILENT = 1e-6  # noise below this part of the released values is none


def design(
    program: ConvexProgram,
    query: Query,
    privacy: Privacy,
    feasibility: Feasibility,
    *,
    domain: Box,
    prior: Any = None,  # noqa: ANN401
    fidelity: float = 0.0,
    floor: float = 0.0,
    balance: Any = None,  # noqa: ANN401
    rng: int | np.random.Generator | None = None,
    settings: Settings | None = None,
) -> Policy:
    """Design a policy from public data.

    Parameters
    ----------
    program
        The convex program; d=None will do where every entry of d is private.
    query, privacy, feasibility
        What is released, the noise, and how the inequalities are kept, for every d of the domain.
        The noise takes no `sensitivity`: it is designed, not assumed.
    domain
        `Box(lower, upper)`: where the private entries of d can lie. Data outside are clamped.
    prior
        Public draws of the private entries, one a row, over which the cost is averaged (their mean
        and variances count); uniform on the domain unless given.
    fidelity
        Weight of the mean squared distance of the release from the non-private answer.
    floor
        Least noise level s. A policy with s = 0 releases a constant.
    balance
        Where G is rank-deficient (demands that must balance): the entries of d that absorb a change
        of a private one. Neighbours are then defined on the private entries, these following.
    rng
        Seed or generator for reformulations that sample. (The 200 draws of the prior behind `loss`,
        `distance` and `fidelity` are the same in every run.)
    settings
        Tolerance, time limit, threads.

    Raises
    ------
    NotImplementableError
        The equalities leave no room for noise on the query.
    InfeasibleError
        No policy keeps the inequalities over this domain; the message says what to change.
    """
    settings = (settings or Settings()).started()
    check_arguments(
        program=program, query=query, privacy=privacy, feasibility=feasibility, settings=settings
    )
    _check(privacy, domain, query, program)
    wish = real(fidelity, "fidelity", "a number >= 0.", "use 0 for none.", low=0.0)
    least = real(floor, "floor", "a number >= 0.", "use 1.0 for the paper's noise.", low=0.0)
    S, names = query.matrix(program), query.names(program)
    check_implementable(program, S, names)
    generator = generator_of(rng)
    lower, upper = domain.ends(len(program.private))
    data = PrivateData.of(program, lower, upper, prior, balance)
    unit = privacy.calibrate(S.shape[0], privacy.alpha, bound=public_bound(program, S))
    with one_thread():
        near = program.solve(settings, d=data.middle).z
        answers = data.answers(S, settings)
        request = data.request(privacy, least, wish, answers)

        def make(silent: bool) -> DesignProgram:
            return DesignProgram(program, S, unit, request, settings, near, silent=silent)

        none = _SILENT * answers.size / unit.scale
        found = _solved(make, feasibility, generator, least, none)
        if isinstance(found, Outcome):
            raise _no_policy(found)
        return exact_policy(names, privacy, found, data, answers)


def _check(privacy: Privacy, domain: object, query: Query, program: ConvexProgram) -> None:
    """Refuse what makes no sense in a design."""
    if privacy.sensitivity != Assumed(1.0):
        raise CombinationError(
            "a sensitivity was handed to design.",
            "none: the sensitivity of a policy is designed and proven, not assumed.",
            "leave sensitivity= out of the noise.",
        )
    if not isinstance(domain, Box):
        raise InputError(
            f"domain is {type(domain).__name__}.",
            "the public range of the private data.",
            "pass domain=privopt.Box(lower, upper).",
        )
    if still_entries(query, program) is not None:
        raise CombinationError(
            "a query with separate groups was handed to design.",
            "a query without them.",
            "use Sum(..., separate=False).",
        )


def _solved(
    make: Callable[[bool], DesignProgram],
    feasibility: Feasibility,
    generator: np.random.Generator,
    floor: float,
    silent: float,
) -> Solution | Outcome:
    """Solve with noise; without any, where a level of at most `silent` is wanted."""
    design_program = make(False)
    settled = feasibility.settle(design_program, generator)  # pyright: ignore[reportArgumentType]
    if isinstance(settled, Settled) and isinstance(settled.solved, Designed):
        if settled.solved.level > silent or floor > 0:
            claim = _everywhere(settled.claim)
            return Solution(design_program, settled.solved, claim, settled.margins)
        constant = make(True)
        found = constant.solve(Margins())
        if isinstance(found, Designed):
            return Solution(constant, found, _sure(constant.rows), Margins())
        return found
    return settled if isinstance(settled, Outcome) else Outcome.STALLED


def _everywhere(claim: Claim) -> Claim:
    """A claim of the noise, for every d of the domain."""
    return dataclasses.replace(
        claim, statement=f"for every d of the domain: {claim.statement}",
        because=f"{claim.because}; the worst case over the domain is added to every row",
    )  # fmt: skip


def _sure(rows: int) -> Claim:
    return Claim(
        f"for every d of the domain: all {rows} inequalities hold",
        Provenance.PROVEN,
        "the release is a constant and the worst case over the domain is kept by every row",
        Scope.JOINT,
    )


def _no_policy(outcome: Outcome) -> Exception:
    """Everything here is public, and so is what the message says."""
    if outcome is Outcome.INFEASIBLE:
        return InfeasibleError(
            "no affine policy keeps the inequalities for every d of the domain under this noise.",
            "a narrower domain, less noise (larger epsilon, smaller alpha or floor), fewer "
            "released values, or a larger eta.",
            "halve the domain first: every limit must hold at its worst corner.",
        )
    return SolverError(
        f"the solver stopped early ({outcome.value}).",
        "an optimum within the tolerance.",
        "rescale the data, or relax Settings(tolerance=, time_limit=).",
    )
