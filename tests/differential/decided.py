"""One seed: a question, what privopt decides, and what CVXPY and exact fractions say of it.

How it ends:

    agree      the best values there are, within 1e-6 of the cost's size, and a proof; or none
    tight      the best values of limits that are less by 4e-7 of their size, as privopt makes them
    wrong      values that cost more, or less, than the best ones
    apart      the solver of the joint program comes to no end
    few, many  no decision where there is one, and one where there is none
    unproven   fractions do not confirm the certificate
    differs    they do, but `check()` does not
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from cvxpy import SolverError
from scipy import stats
from tests.differential.compare import WRONG, Verdict
from tests.differential.exact import Claim, Proof, prove
from tests.differential.joint import Model, Where
from tests.differential.nice import Matrix, Vector
from tests.differential.questions import ETA, Question, question

import privopt as po

SECONDS = 30.0
CLOSE = 1e-9
TIGHT = 4e-7  # of its size: privopt has each limit less by 1e-7, and cuts ask for 3e-7 more
Slab = tuple[Vector, float, float]


def measured(one: Question, rng: np.random.Generator) -> list[po.Measurement]:
    """Measurements with noise of the rng in the place of the secure one: their files, rewritten."""
    program, found = one.program, list[po.Measurement]()
    u = one.u + one.half * rng.uniform(-0.5, 0.5, len(one.u))
    for W in one.W:
        instrument = po.Instrument(W, program=program, privacy=one.privacy, domain=one.domain)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # no ledger counts this
            made = instrument.measure(program.d)
        file: Any = made.to_dict()
        if file["release"] is not None:
            xi = rng.uniform(-1, 1, len(W))
            noise = file["parts"][file["instrument"]]["calibration"]
            xi = np.array([_half_width(one, noise, abs(v)) * np.sign(v) for v in xi])
            grid = 2.0 ** noise["exponent"]
            file["release"]["values"] = (grid * np.round((W @ u + xi) / grid)).tolist()
        found.append(po.Measurement.from_dict(file))
    return found


def _half_width(one: Question, noise: dict[str, Any], inside: float) -> float:
    """W with P(|xi| <= w) = inside, for one entry of the noise."""
    privacy = one.privacy
    if isinstance(privacy, po.Gaussian):
        return noise["scale"] * float(stats.norm.ppf(0.5 + 0.5 * inside))
    if isinstance(privacy, po.TruncatedLaplace):
        bound = math.log1p(math.expm1(privacy.epsilon) / (2 * privacy.delta))
        inside *= -math.expm1(-bound)
    return -noise["scale"] * math.log1p(-inside)


def slabs_of(one: Question, measurements: list[po.Measurement]) -> list[Slab]:
    """W, low and high of each row of the domain, and of the noise box about each measurement."""
    found = [] if one.rows is None else [*zip(*one.rows, strict=True)]
    for W, measurement in zip(one.W, measurements, strict=True):
        file = measurement.to_dict()
        if file["release"] is not None:
            noise, inside = file["parts"][file["instrument"]]["calibration"], 1.0
            if not isinstance(one.privacy, po.TruncatedLaplace):
                inside = (1 - ETA / len(one.W)) ** (1 / len(W))
            w, y = _half_width(one, noise, inside), measurement.values
            found += [*zip(W, y - w, y + w, strict=True)]
    return found


def claim_of(one: Question, measurements: list[po.Measurement]) -> Claim:
    """What a decision claims: its program, and all data that the measurements leave possible."""
    facts = [*zip(np.eye(len(one.u)), one.u + one.half, strict=True)]
    facts += zip(-np.eye(len(one.u)), one.half - one.u, strict=True)
    for w, low, high in slabs_of(one, measurements):
        facts += [(w, high), (-w, -low)]
    (A, b, B), (M, start, F) = one.inequalities, one.equalities
    wide = [(0, 0), (0, one.towers)]
    return Claim(
        np.pad(A, wide), b, B, np.pad(M, wide), start, F, np.pad(one.S, wide), _cones(one), facts
    )


def _cones(one: Question) -> list[tuple[Matrix, Vector]]:
    """Norms as points (head, two entries), as the record of a program has them.

    Of three entries two are within a norm of its own; of two, that which shares most variables with
    the head is the last.
    """
    found: list[tuple[Matrix, Vector]] = []
    wide, inner = one.n + one.towers, one.n
    for norm in one.norms:
        point = np.pad(np.vstack([norm.f, norm.C]), ((0, 0), (0, wide - one.n)))
        e = np.append(norm.g, norm.e)
        if len(norm.C) > 2:
            height, inner = np.eye(1, wide, inner), inner + 1
            found.append((np.vstack([height, point[1:3]]), np.append(0.0, e[1:3])))
            point, e = np.vstack([point[0], height, point[3]]), np.array([e[0], 0.0, e[3]])
        elif norm.f.any() and np.argmax(np.count_nonzero(norm.C * norm.f, axis=1)) == 0:
            point, e = point[[0, 2, 1]], e[[0, 2, 1]]
        found.append((point, e))
    return found


@contextmanager
def by_periods() -> Generator[None]:
    """Every program with periods is decided by a gain over them, however small it is."""
    from privopt.mechanisms.measured import timed

    usual, timed.WIDE = timed.WIDE, 0
    try:
        yield
    finally:
        timed.WIDE = usual


def where(one: Question, measurements: list[po.Measurement], *, timed: bool) -> Where:
    """The draws that a decision is decided by, privopt's own, and the region they are cut to.

    Where the noise has left its box, so that no data are possible, privopt's enlarged region.
    """
    from privopt.mechanisms.measured import deciding
    from privopt.mechanisms.measured.belief import Belief
    from privopt.mechanisms.measured.timed import draws_of

    belief = Belief.of(measurements, one.program)
    region = belief.region(one.promise)
    count = draws_of(one.program) if timed else deciding.DRAWS
    draws = belief.draws(count, np.random.default_rng(0), within=region).T
    off, slabs = draws - one.u[:, None], slabs_of(one, measurements)
    W = np.array([w for w, *_ in slabs]).reshape(len(slabs), len(one.u))
    reach = np.abs(W) @ one.half
    low, high = (np.array([ends[k] for ends in slabs]) - W @ one.u for k in (1, 2))
    low, high = np.maximum(low, -reach), np.minimum(high, reach)
    sums = W @ off
    if ((sums <= high[:, None] + CLOSE) & (sums >= low[:, None] - CLOSE)).all():
        return Where(draws, one.u, one.half, W, low, high)
    return Where(draws, region.middle, region.half, region.W, region.low, region.high)


def drawn(seed: int) -> tuple[Question, list[po.Measurement], bool]:
    """The question of a seed, its measurements, and whether it is decided by periods."""
    rng = np.random.default_rng([7, seed])
    one = question(rng)
    return one, measured(one, rng), one.periods is not None and rng.random() < 0.5


def decide(one: Question, measurements: list[po.Measurement], *, timed: bool) -> po.Decision | None:
    """What privopt decides; None where it says that nothing can be decided."""
    with by_periods() if timed else nullcontext():
        try:
            made = po.decide(
                one.program, one.asked, measurements, one.promise, fidelity=one.fidelity,
                balance=list(one.balance) or None, settings=po.Settings(time_limit=SECONDS),
                fallback=np.zeros(len(one.S)),  # spares the search for what would do
            )  # fmt: skip
        except (po.errors.NotImplementableError, po.errors.InfeasibleError):
            return None
    return None if made.certificate is None else made


def decided(seed: int) -> Verdict:
    """Draw, measure, decide, and look at it."""
    one, measurements, timed = drawn(seed)
    kinds = (*one.kinds, "by periods") if timed else one.kinds

    def end(
        name: str, error: float = math.nan, detail: str = "", proof: Proof | None = None
    ) -> Verdict:
        parts = [] if proof is None else [proof.rows, proof.facets, [proof.shift]]
        least = tuple(min(part, default=math.nan) for part in parts)
        return Verdict("decision", seed, name, error, kinds, detail, least)

    try:
        model = Model(one, where(one, measurements, timed=timed))
        best = model.optimum()
        tight = Model(one, model.where, TIGHT)
        made = decide(one, measurements, timed=timed)
        if made is None or made.certificate is None:
            few = best.cost is not None and tight.optimum().cost is not None
            return end("few" if few else "agree", 0.0, "no decision")
        proof = prove(json.dumps(made.to_dict()), claim_of(one, measurements))
        if not proof.holds:
            return end("unproven", proof.slack, f"{proof.covers} {proof.inside}", proof)
        if not made.check().holds:
            return end("differs", proof.slack, str(made.check()), proof)
        cost, gain = model.value(made.values), made.certificate.dense if timed else None
        free, best = best, model.optimum(gain) if timed else best
        if best.cost is None or free.cost is None or cost is None:
            return end("many", math.inf, "", proof)
        gap = made.certificate.gap * abs(made.optimal_cost.value) / best.size
        open_ = (best.cost - free.cost) / best.size
        detail = f"another gain saves {open_:.1e}" if timed else f"gap {gap:.1e}"
        error = (cost - best.cost) / best.size
        if -WRONG <= error <= WRONG + gap:
            return end("agree", error, detail, proof)
        least = tight.optimum(gain)
        left = math.inf if least.cost is None else (cost - least.cost) / least.size
        name = "tight" if error > 0 and left <= WRONG + gap else "wrong"
        return end(name, error, f"{detail}, of tight limits {left:.1e}", proof)
    except SolverError as error:
        return end("apart", detail=str(error))
    except po.errors.PrivoptError as error:
        return end(type(error).__name__, detail=str(error)[:200])
