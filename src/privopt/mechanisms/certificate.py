"""What a certificate of sensitivity is for, and the plan that is made under it.

    z~(d) = argmin { c(z) : A z <= b - h,  G z = d },      z(xi) = z~(d) + Z xi

with public recourse Z and margins h (`Certified`, made by `privopt.assess.certify`). The map from d
to z~ is the one whose pieces were enumerated, in the very numbers that the certificate brings along
(`solving.solution_map`): d is clamped to the domain, z~ is a vector of fractions, and S z~ is
rounded once, to a grid whose share is part of the sensitivity. Of d, the private entries alone are
read: those that balance them are computed from them, those that are public are in the fingerprint.
So an answer comes for every d. The certificate holds for this very program, query, noise,
feasibility and domain; its fingerprint says whether they are the same.
"""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import numpy as np

from privopt.arrays import Sparse
from privopt.claims.guarantee import Guarantee
from privopt.claims.privacy import privacy_claim
from privopt.digest import digest_of
from privopt.errors import CombinationError, InfeasibleError
from privopt.mechanisms.certified import Certified
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.private_data import PrivateData
from privopt.mechanisms.question import Question
from privopt.model.objective import ExpectedCost
from privopt.model.program import ConvexProgram
from privopt.noise.calibration import asked
from privopt.solving.affine import Affine, Recourse
from privopt.solving.distance import LeastDistance
from privopt.solving.scaling import Scaling, row_sizes
from privopt.solving.tightening import RESIDUAL

__all__ = ["certified_plan", "fingerprint", "form_of"]


def form_of(program: ConvexProgram, data: PrivateData) -> LeastDistance:
    """The program over the whole domain; v = -1 and 1 are the ends of each entry that moves."""
    half = 0.5 * (data.upper - data.lower)[data.moving]
    middle = 0.5 * (data.lower + data.upper)
    return LeastDistance.of(program, data.target(middle), data.F[:, data.moving].toarray() * half)


def fingerprint(question: Question, data: PrivateData) -> tuple[tuple[str, str], ...]:
    """A digest of each public part. Private entries of d are not read."""
    program, privacy, feasibility = question.program, question.privacy, question.kept
    still = question.still
    matrices = (program.quadratic, program.A, program.G)
    vectors = (program.linear, program.b, program.lower, program.upper, program.private)
    zero = np.zeros(len(program.private))
    common = (privacy.kind, privacy.epsilon, privacy.delta, privacy.alpha)
    own = [name for name in asked(type(privacy)) if name not in ("epsilon", "delta", "alpha")]
    noise = (*common, *([getattr(privacy, name) for name in own] or [""]))
    fields = [
        (item.name, np.asarray(getattr(feasibility, item.name)))
        for item in dataclasses.fields(cast("Any", feasibility))
    ]
    return (
        (
            "program",
            digest_of(*map(_parts, matrices), *vectors, data.target(zero), data.F.toarray()),
        ),
        ("query", digest_of(_parts(question.S), np.zeros(0) if still is None else still)),
        ("noise", digest_of(*noise)),
        ("feasibility", digest_of(feasibility.kind, *fields)),
        ("domain", digest_of(data.lower, data.upper)),
    )


def certified_plan(question: Question) -> Plan:
    """The plan at the program's d, with the recourse and margins of the certificate."""
    program, S = question.program, question.S
    certificate = cast("Certified", question.privacy.sensitivity)
    if not isinstance(question.objective, ExpectedCost) or question.repeat is not None:
        raise CombinationError(
            "a certified sensitivity was asked with another objective, or with repetition.",
            "the expected cost and a single draw, which the certificate is for.",
            "leave objective= and repeat= out.",
        )
    exact = certificate.check()
    ends = certificate.lower, certificate.upper
    if len(program.private) != len(ends[0]):
        raise _other("program")
    data = PrivateData(program, *ends, None, certificate.balance)
    _check_same(certificate, fingerprint(question, data))
    u = program.d[program.private]  # no other entry of d is read: those that balance follow
    point = exact.at(u[data.moving])
    z = point.z
    # factor alpha ||S|| bounds the distance of neighbours' values as they are rounded below
    calibration = question.calibration
    Z = Recourse(certificate.recourse)
    sizes = calibration.deviation * Z.sizes
    right = data.target(np.clip(u, *ends))
    rows, scaling = program.rows, Scaling.of(program, right)
    size = row_sizes(rows.matrix, rows.bound, z, sizes, scaling)
    margins = certificate.margins - certificate.room
    excess = np.asarray(rows.matrix @ z) + margins - rows.bound
    residual = float((excess / size).max(initial=-np.inf))
    if not certificate.whole and residual > RESIDUAL:
        raise InfeasibleError(
            "no solution keeps the certified margins for this d.",
            "data of the feasible part of the domain.",
            "use less noise or a smaller domain, certified again; or design, which covers all of "
            "a domain.",
        )
    return Plan(
        question=question,
        affine=Affine(z, Z),
        cost=program.cost(z) + calibration.deviation**2 * Z.energy(program.quadratic),
        guarantee=Guarantee(privacy_claim(question.privacy, unique=True), certificate.feasibility),
        calibration=calibration,
        margins=certificate.rule,
        residual=residual,
        exact=point.released(S, certificate.exponent),
    )


def _check_same(certificate: Certified, found: tuple[tuple[str, str], ...]) -> None:
    for (part, wanted), (_, digest) in zip(certificate.fingerprint, found, strict=True):
        if wanted != digest:
            raise _other(part)


def _other(part: str) -> CombinationError:
    return CombinationError(
        f"the certificate of the sensitivity is for another {part}.",
        "the program, query, noise and feasibility it was made for.",
        "call privopt.assess.certify again, with these.",
    )


def _parts(M: Sparse) -> tuple[Any, ...]:
    return M.shape, M.indptr.astype(np.int64), M.indices.astype(np.int64), M.data
