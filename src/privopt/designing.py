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
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.affine import Affine, Recourse
from privopt.arguments import check_arguments
from privopt.arrays import Dense, Sparse, Vector
from privopt.conic.chance import RESIDUAL
from privopt.conic.design import Designed, DesignProgram
from privopt.conic.margins import Margins
from privopt.conic.problem import Outcome
from privopt.conic.projector import Projector
from privopt.conic.scaling import scaled
from privopt.conic.solver import Settings
from privopt.domain import Box
from privopt.errors import CombinationError, InfeasibleError, InputError, SolverError
from privopt.feasibility.protocol import Feasibility, Settled
from privopt.fixed import FixedMap
from privopt.guarantee import Claim, Guarantee, Provenance, Scope
from privopt.implementable import check_implementable
from privopt.magnitude import public_bound
from privopt.noise.calibration import Calibration, Privacy
from privopt.noise.sensitivity import Assumed
from privopt.policy import Policy
from privopt.private_data import PrivateData
from privopt.program import ConvexProgram
from privopt.query import Query, still_entries
from privopt.randomness import generator_of
from privopt.scalars import real

__all__ = ["design"]

_SILENT = 1e-6  # a noise level below this is none


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
    near = program.solve(settings, d=data.middle).z
    answers = _answers(program, S, data, settings)
    request = data.request(privacy, least, wish, (answers[0], answers[2]))

    def make(silent: bool) -> DesignProgram:
        return DesignProgram(program, S, unit, request, settings, near, silent=silent)

    found = _solved(make, feasibility, generator, least)
    if isinstance(found, Outcome):
        raise _no_policy(found)
    return _policy(program, S, names, privacy, found, unit, data, answers, least)


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


def _answers(
    program: ConvexProgram, S: Sparse, data: PrivateData, settings: Settings
) -> tuple[Dense, Vector, Dense]:
    """Draws of the prior, the optimal cost and S z* at each."""
    drawn = data.draws()
    found = [program.solve(settings, d=data.at(v)) for v in drawn]
    costs = np.array([one.cost for one in found])
    return drawn, costs, np.array([np.asarray(S @ one.z) for one in found])


def _solved(
    make: Callable[[bool], DesignProgram],
    feasibility: Feasibility,
    generator: np.random.Generator,
    floor: float,
) -> tuple[DesignProgram, Designed, Claim, Margins] | Outcome:
    """Solve with noise; without any, where next to none is wanted."""
    design_program = make(False)
    settled = feasibility.settle(design_program, generator)  # pyright: ignore[reportArgumentType]
    if isinstance(settled, Settled) and isinstance(settled.solved, Designed):
        if settled.solved.level > _SILENT or floor > 0:
            claim = _everywhere(settled.claim)
            return design_program, settled.solved, claim, settled.margins
        constant = make(True)
        found = constant.solve(Margins())
        if isinstance(found, Designed):
            return constant, found, _sure(constant.rows), Margins()
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


def _privacy_claim(privacy: Privacy, Delta: float | None) -> Claim:
    """PROVEN: the map is public and affine, evaluated in exact integers."""
    about = f"for data that differ in one private entry by at most {privacy.alpha:g}"
    if Delta is None:
        return Claim(
            f"0-differential privacy {about}",
            Provenance.PROVEN,
            "the release is a constant made from public data",
            Scope.NEIGHBOURS,
        )
    return Claim(
        f"{privacy.describe()} {about}",
        Provenance.PROVEN,
        "the release is a public affine map of d, clamped to the domain and evaluated in exact "
        f"integers, plus noise: neighbours move it by at most max_j ||S K e_j||_{privacy.order} "
        f"times alpha, rounding included <= {Delta:.6g}, which the noise was calibrated to",
        Scope.NEIGHBOURS,
    )


def _calibrated(privacy: Privacy, exact: FixedMap, least: float, unit: Calibration) -> Calibration:
    """Noise for the exact sensitivity of the map, grid included, of at least a given scale."""
    p, k = len(exact.offset), unit.exponent - 60
    bound = exact.bound()
    wanted = 0.0
    for _ in range(20):
        Delta = max(exact.sensitivity(privacy.alpha, privacy.order, k), wanted)
        found = privacy.calibrate(p, Delta, bound=bound)
        if found.scale < least:
            wanted = Delta * (least / found.scale) * (1 + 1e-13)
        elif found.exponent <= k:
            return found
        k = max(k, found.exponent)
    raise SolverError(
        "no grid was found for the noise of this policy.",
        "noise of ordinary size.",
        "use a larger floor, or epsilon and alpha of ordinary size.",
    )


def _policy(
    program: ConvexProgram,
    S: Sparse,
    names: tuple[str, ...],
    privacy: Privacy,
    found: tuple[DesignProgram, Designed, Claim, Margins],
    unit: Calibration,
    data: PrivateData,
    answers: tuple[Dense, Vector, Dense],
    floor: float,
) -> Policy:
    """The policy in exact numbers, and what it costs."""
    design_program, solved, claim, margins = found
    q = len(data.lower)
    gain = np.zeros((program.n, q))
    if solved.gain is not None:
        gain[:, data.moving] = solved.gain
    silent = design_program.silent
    middle = solved.z + gain @ (0.5 * (data.lower + data.upper) - data.mean)
    exact = FixedMap.of(
        np.zeros((S.shape[0], q)) if silent else np.asarray(S @ gain),
        np.asarray(S @ middle), data.lower, data.upper, privacy.alpha,
    )  # fmt: skip
    gain, middle = _matched(program, S, data, gain, middle, exact)
    calibration, level = None, 0.0
    Z = np.asarray(solved.Z)
    if not silent:
        calibration = _calibrated(privacy, exact, floor * unit.scale, unit)
        level = calibration.scale / unit.scale
        Z = Z * (level / solved.level)
    recourse = Recourse(Z)
    expected = middle + gain @ (data.mean - 0.5 * (data.lower + data.upper))
    wider = 1.0 if calibration is None else _wider(calibration, unit)
    residual = design_program.excess(expected, gain[:, data.moving], wider * Z, margins)
    if residual > RESIDUAL:
        raise SolverError(
            "the policy found does not keep its margins in exact numbers.",
            "margins kept up to rounding.",
            "rescale the data, or use a tighter Settings(tolerance=).",
        )
    C2 = program.quadratic
    noise = unit.deviation**2 * recourse.energy(C2)
    moved = float((gain * np.asarray(C2 @ gain)).sum(axis=0) @ data.variance)
    drawn, optimal, values = answers
    costs = np.array([program.cost(expected + gain @ v) + noise for v in drawn])
    off = (np.asarray(S @ expected) + drawn @ np.asarray(S @ gain).T) - values
    spread = 0.0 if calibration is None else calibration.deviation
    distance = float(np.sqrt(np.square(off).sum(axis=1).mean() + len(names) * spread**2))
    Delta = None if calibration is None else calibration.sensitivity
    total = abs(float(optimal.sum()))
    return Policy(
        program=program,
        S=S,
        names=names,
        privacy=privacy,
        affine=Affine(middle, recourse, gain),
        map=exact,
        sensitivity=level,
        cost=program.cost(expected) + moved + noise,
        loss=float((costs - optimal).sum()) / total if total else float("nan"),
        distance=distance,
        guarantee=Guarantee(_privacy_claim(privacy, Delta), claim),
        calibration=calibration,
        unit=unit,
        residual=residual,
    )


def _wider(calibration: Calibration, unit: Calibration) -> float:
    """How much further bounded noise reaches on the grid it has in the end, relative to its scale.

    The margins were made for the bound and the grid of `unit`.
    """
    if not math.isfinite(unit.law.bound):
        return 1.0

    def most(made: Calibration) -> float:
        return made.law.bound + math.ldexp(0.5, made.exponent) / made.scale

    return max(1.0, most(calibration) / most(unit))


def _matched(
    program: ConvexProgram,
    S: Sparse,
    data: PrivateData,
    gain: Dense,
    middle: Vector,
    exact: FixedMap,
) -> tuple[Dense, Vector]:
    """The gain and the offset whose released part is that of the exact map."""
    _, factors, columns = program.equilibration
    G = scaled(program.equalities.matrix, columns, factors)
    query = scaled(S, columns)
    both = Projector(sp.csr_array(sp.vstack([G, query])))

    def moved(X: Dense, wanted: Dense, released: Dense) -> Dense:
        left = (factors * (wanted - np.asarray(program.equalities.matrix @ X)).T).T
        right = np.concatenate([left, released - np.asarray(S @ X)])
        return X + (columns * both.correction(right).T).T

    target = data.target(0.5 * (data.lower + data.upper))
    middle = moved(middle, target, exact.middle)
    if not len(data.moving):
        return gain, middle
    at = data.moving
    gain[:, at] = moved(gain[:, at], data.F[:, at].toarray(), exact.gain[:, at])
    return gain, middle


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
