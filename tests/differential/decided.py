"""One seed: a question, what privopt decides, and what CVXPY and exact fractions say of it.

How it ends:

    agree      the best values there are, within 1e-6 of the cost's size, and a proof; or none
    tight      the best values of limits that are less by 4e-7 of their size, as privopt makes them
    wrong      values that cost more, or less, than the best ones
    few, many  no decision where there is one, and one where there is none
    unproven   fractions do not confirm the certificate
    differs    they do, but `check()` does not
    apart      the solver of the joint program comes to no end
"""

from __future__ import annotations

import json
import math
import warnings
from typing import Any
from unittest.mock import patch

import numpy as np
from cvxpy import SolverError
from scipy import stats
from tests.differential.compare import SECONDS, WRONG, Verdict
from tests.differential.exact import Claim, Proof, prove
from tests.differential.joint import Model, Where
from tests.differential.nice import Matrix, Vector
from tests.differential.questions import ETA, question

import privopt as po
from privopt.mechanisms.measured import deciding, timed
from privopt.mechanisms.measured.belief import Belief

TIGHT = 4e-7  # of its size: privopt has each limit less by 1e-7, and cuts ask for 3e-7 more


class Case:
    """A question, measurements of its data, and whether it is decided by a gain over periods."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([7, seed])
        self.one = one = question(rng)
        self.program, self.measurements = one.program, list[po.Measurement]()
        self.timed = one.periods is not None and rng.random() < 0.5
        self.W, self.y, self.wide = np.zeros((0, len(one.u))), np.zeros(0), np.zeros(0)
        for W in one.W:
            box = po.Domain(one.u - one.half, one.u + one.half, rows=one.facts)
            noise = po.Instrument(W, program=self.program, privacy=one.privacy, domain=box)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # no ledger counts this
                file: Any = noise.measure(self.program.d).to_dict()
            if file["release"] is not None:  # noise of the rng in the place of the secure one
                law = file["parts"][file["instrument"]]["calibration"]
                each = 1 if self.never else (1 - ETA / len(one.W)) ** (1 / len(W))
                part = rng.uniform(-0.95, 0.95, len(W))
                xi = np.sign(part) * self.half_width(law["scale"], abs(part))
                steps = np.round((W @ one.u + xi) / 2.0 ** law["exponent"])
                y = steps * 2.0 ** law["exponent"]
                file["release"]["values"] = y.tolist()
                wide = np.full(len(y), self.half_width(law["scale"], each))
                self.W, self.y = np.vstack([self.W, W]), np.append(self.y, y)
                self.wide = np.append(self.wide, wide)
            self.measurements.append(po.Measurement.from_dict(file))

    @property
    def never(self) -> bool:
        """Whether the noise is bounded."""
        return isinstance(self.one.privacy, po.TruncatedLaplace)

    def half_width(self, scale: float, inside: Any) -> Any:
        """W with P(|xi| <= w) = inside, for one entry of the noise."""
        privacy = self.one.privacy
        if isinstance(privacy, po.Gaussian):
            return scale * stats.norm.ppf(0.5 + 0.5 * inside)
        if isinstance(privacy, po.TruncatedLaplace):
            bound = math.log1p(math.expm1(privacy.epsilon) / (2 * privacy.delta))
            inside = -math.expm1(-bound) * inside
        return -scale * np.log1p(-inside)

    @property
    def slabs(self) -> tuple[Matrix, Vector, Vector]:
        """W, low and high: what is known of sums of the private entries."""
        W, low, high = self.one.facts
        low, high = np.append(low, self.y - self.wide), np.append(high, self.y + self.wide)
        return np.vstack([W, self.W]), low, high

    @property
    def claim(self) -> Claim:
        """What a decision claims: its program, for all data that are possible."""
        one, (W, low, high) = self.one, self.slabs
        eye, n = np.eye(len(one.u)), len(one.c1)
        facts = [*zip(np.vstack([eye, W]), np.append(one.u + one.half, high), strict=True)]
        facts += zip(np.vstack([-eye, -W]), np.append(one.half - one.u, -low), strict=True)
        wide = [(0, 0), (0, self.program.n - n)]
        cones: list[tuple[Matrix, Vector]] = []
        for C, e, f, g in one.norms:
            # In the order of a program's record: of three entries two are within a norm of their
            # own; of two, that which shares most variables with the right-hand side is the last.
            points, e = np.pad(np.vstack([f, C]), wide), np.append(g, e)
            if len(C) > 2:
                height, n = np.eye(1, self.program.n, n), n + 1
                cones.append((np.vstack([height, points[1:3]]), np.append(0.0, e[1:3])))
                points, e = np.vstack([points[0], height, points[3]]), e[[0, 0, 3]] * [1, 0, 1]
            elif f.any() and np.argmax(np.count_nonzero(C * f, axis=1)) == 0:
                points, e = points[[0, 2, 1]], e[[0, 2, 1]]
            cones.append((points, e))
        (A, b, B), (M, start, F) = one.inequalities, one.equalities
        A, M, S = (np.pad(rows, wide) for rows in (A, M, one.S))
        return Claim(A, b, B, M, start, F, S, cones, facts)

    def draws(self) -> Matrix:
        """The draws that the decision is decided by, a column each: privopt's own."""
        belief = Belief.of(self.measurements, self.program)
        count = timed.draws_of(self.program) if self.timed else deciding.DRAWS
        within = belief.region(self.one.promise)
        return belief.draws(count, np.random.default_rng(0), within=within).T

    def decide(self) -> po.Decision | None:
        """What privopt decides; None where it says that nothing can be decided."""
        one, width = self.one, 0 if self.timed else timed.WIDE
        query = one.query or po.Linear(np.pad(one.S, ((0, 0), (0, self.program.n - len(one.c1)))))
        try:
            with patch.object(timed, "WIDE", width):
                made = po.decide(
                    self.program, query, self.measurements, one.promise, fidelity=one.fidelity,
                    balance=one.balance, settings=po.Settings(time_limit=SECONDS),
                    fallback=np.zeros(len(one.S)),  # spares the search for what would do
                )  # fmt: skip
        except (po.errors.NotImplementableError, po.errors.InfeasibleError):
            return None
        return None if made.certificate is None else made


def decided(seed: int) -> Verdict:
    """Draw, measure, decide, and look at it."""
    case = Case(seed)
    kinds = (*case.one.kinds, "by periods") if case.timed else tuple(case.one.kinds)

    def end(name: str, error: float = 0.0, detail: str = "", proof: Proof | None = None) -> Verdict:
        parts = [] if proof is None else [proof.rows, proof.facets, [proof.shift]]
        slacks = tuple(min(part, default=math.nan) for part in parts)
        return Verdict("decision", seed, name, error, kinds, detail, slacks)

    try:
        where = Where(case.one, case.draws(), *case.slabs)
        best, tight, made = Model(where).optimum(), Model(where, TIGHT), case.decide()
        if made is None or made.certificate is None:
            few = best is not None and tight.optimum() is not None
            return end("few" if few else "agree", detail="no decision")
        proof = prove(json.dumps(made.to_dict()), case.claim)
        if not proof.holds:
            return end("unproven", detail=f"{proof.covers} {proof.inside}", proof=proof)
        if not made.check().holds:
            return end("differs", detail=str(made.check()), proof=proof)
        gain = made.certificate.dense if case.timed else None
        cost, size = Model(where).value(made.values)
        free, best = best, Model(where).optimum(gain) if case.timed else best
        if best is None or free is None or cost is None:
            return end("many", math.inf, proof=proof)
        gap = made.certificate.gap * abs(made.optimal_cost.value) / size
        error, saves = (cost - best) / size, (best - free) / size
        detail = f"another gain saves {saves:.1e}" if case.timed else f"gap {gap:.1e}"
        if -WRONG <= error <= WRONG + gap:
            return end("agree", error, detail, proof)
        least = tight.optimum(gain)
        left = math.inf if least is None else (cost - least) / size
        name = "tight" if error > 0 and left <= WRONG + gap else "wrong"
        return end(name, error, f"{detail}, of tight limits {left:.1e}", proof)
    except SolverError as error:
        return end("apart", detail=str(error))
    except po.errors.PrivoptError as error:
        return end(type(error).__name__, detail=str(error)[:200])
