"""What a certificate of sensitivity is for, and the plan that is made under it.

    z~(d) = argmin { c(z) : A z <= b - h,  G z = d },      z(xi) = z~(d) + Z xi

with public recourse Z and margins h (`Certified`, made by `privopt.assess.certify`). The map from d
to S z~(d) is the one whose pieces were enumerated, so the certificate holds for this very program,
query, noise, feasibility and domain; its fingerprint says whether they are the same. The solution
is found from the rows that bind (`conic.distance`), to rounding, not to a solver's tolerance.
"""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from privopt.affine import Affine, Recourse
from privopt.arrays import Sparse, Vector
from privopt.conic.chance import RESIDUAL
from privopt.conic.distance import Law, LeastDistance
from privopt.conic.scaling import Scaling, row_sizes
from privopt.conic.solver import Settings
from privopt.errors import CombinationError, InfeasibleError, SolverError
from privopt.feasibility.protocol import Feasibility
from privopt.guarantee import Guarantee
from privopt.magnitude import public_bound
from privopt.noise.calibration import Privacy, privacy_claim, query_sensitivity
from privopt.noise.sensitivity import Certified
from privopt.objective import ExpectedCost, Objective
from privopt.plan import Plan
from privopt.private_data import PrivateData
from privopt.program import ConvexProgram
from privopt.query import Query, still_entries
from privopt.repeat import Repeat

__all__ = ["certified_plan", "fingerprint", "form_of"]


def form_of(program: ConvexProgram, data: PrivateData) -> LeastDistance:
    """The program over the whole domain; v = -1 and 1 are the ends of each entry that moves."""
    half = 0.5 * (data.upper - data.lower)[data.moving]
    middle = 0.5 * (data.lower + data.upper)
    return LeastDistance.of(program, data.target(middle), data.F[:, data.moving].toarray() * half)


def fingerprint(
    program: ConvexProgram,
    query: Query,
    privacy: Privacy,
    feasibility: Feasibility,
    data: PrivateData,
) -> tuple[tuple[str, str], ...]:
    """A digest of each public part. Private entries of d are not read."""
    still = still_entries(query, program)
    matrices = (program.quadratic, program.A, program.G)
    vectors = (program.linear, program.b, program.lower, program.upper, program.private)
    zero = np.zeros(len(program.private))
    calibration = getattr(privacy, "calibration", "")
    noise = (type(privacy).__name__, privacy.epsilon, privacy.delta, privacy.alpha, calibration)
    asked = [
        (item.name, np.asarray(getattr(feasibility, item.name)))
        for item in dataclasses.fields(cast("Any", feasibility))
    ]
    return (
        ("program", _digest(*map(_parts, matrices), *vectors, data.target(zero), data.F.toarray())),
        ("query", _digest(_parts(query.matrix(program)), np.zeros(0) if still is None else still)),
        ("noise", _digest(*noise)),
        ("feasibility", _digest(type(feasibility).__name__, *asked)),
        ("domain", _digest(data.lower, data.upper)),
    )


def certified_plan(
    program: ConvexProgram,
    query: Query,
    privacy: Privacy,
    feasibility: Feasibility,
    objective: Objective,
    repeat: Repeat | None,
    settings: Settings,
) -> Plan:
    """The plan at the program's d, with the recourse and margins of the certificate."""
    certificate = cast("Certified", privacy.sensitivity)
    if not isinstance(objective, ExpectedCost) or repeat is not None:
        raise CombinationError(
            "a certified sensitivity was asked with another objective, or with repetition.",
            "the expected cost and a single draw, which the certificate is for.",
            "leave objective= and repeat= out.",
        )
    ends = certificate.lower, certificate.upper
    if len(program.private) != len(ends[0]):
        raise _other("program")
    data = PrivateData(program, *ends, None, certificate.balance)
    _check_same(certificate, fingerprint(program, query, privacy, feasibility, data))
    v = _place(program, data)
    form = form_of(program, data).bounded(program.rows.bound - certificate.margins)
    optimum = program.solve(settings)
    law = form.binding(v)
    if law is None:
        raise InfeasibleError(
            "no solution keeps the certified margins for this d.",
            "data of the feasible part of the domain.",
            "use less noise or a smaller domain, certified again; or design, which covers all of "
            "a domain.",
        )
    z, S = form.point(law.at(v), v), query.matrix(program)
    calibration = privacy.calibrate(
        S.shape[0], query_sensitivity(privacy, S), bound=public_bound(program, S)
    )
    Z = Recourse(certificate.recourse)
    sizes = calibration.deviation * Z.sizes
    rows, scaling = program.rows, Scaling.of(program, program.right_hand_side())
    size = row_sizes(rows.matrix, rows.bound, z, sizes, scaling)
    excess = np.asarray(rows.matrix @ z) + certificate.margins - rows.bound
    residual = float((excess / size).max(initial=-np.inf))
    if residual > RESIDUAL or _rounding(form, law, v, S) > certificate.rounding:
        raise SolverError(
            "the solution could not be found to the accuracy that the certificate allows for.",
            f"released values within {certificate.rounding:.2g}.",
            "rescale the data: its largest and smallest coefficients lie far apart.",
            private=f"residual {residual:.3g}, rounding {_rounding(form, law, v, S):.3g}",
        )
    return Plan(
        program=program,
        query=query,
        privacy=privacy,
        affine=Affine(z, Z),
        optimum=optimum,
        cost=program.cost(z) + calibration.deviation**2 * Z.energy(program.quadratic),
        guarantee=Guarantee(privacy_claim(privacy, unique=True), certificate.feasibility),
        calibration=calibration,
        margins=certificate.rule,
        residual=residual,
    )


def _place(program: ConvexProgram, data: PrivateData) -> Vector:
    """The program's d in the domain, -1 to 1; refused outside. The message tells no value."""
    u = program.d[program.private]
    d = data.target(u)[: program.G.shape[0]]
    off = np.abs(program.d - d) > 1e-9 * (1 + np.abs(d))
    if (u < data.lower).any() or (u > data.upper).any() or off.any():
        raise CombinationError(
            "d lies outside of the domain of the certificate.",
            "private entries within it, and entries that balance them.",
            "certify a larger domain, from public knowledge.",
        )
    half = 0.5 * (data.upper - data.lower)
    middle = 0.5 * (data.lower + data.upper)
    return np.clip(((u - middle)[data.moving]) / half[data.moving], -1.0, 1.0)


def _rounding(form: LeastDistance, law: Law, v: Vector, S: Sparse) -> float:
    """How far S z may lie from the optimum: what the rows leave over, through their inverse."""
    x, right = law.at(v), form.q + form.Q @ v
    over = np.maximum(form.M @ x - right, 0.0).max(initial=0.0)
    bound = list(law.rows)
    left = np.abs(form.M[bound] @ x - right[bound]).max(initial=0.0)
    weak = float(np.abs(np.diag(law.triangle)).min(initial=1.0))
    size = float(np.linalg.norm(np.asarray(S @ form.spread)))
    z = form.point(x, v)
    unit = 16 * np.finfo(float).eps * float(np.linalg.norm(np.asarray(abs(S) @ np.abs(z))))
    return size * float(over + left) / weak + unit


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


def _digest(*parts: Any) -> str:  # noqa: ANN401 -- arrays, numbers, text, and tuples of them
    digest = hashlib.sha256()

    def add(part: Any) -> None:  # noqa: ANN401
        if isinstance(part, tuple):
            for item in cast("tuple[Any, ...]", part):
                add(item)
            digest.update(b")")
        elif isinstance(part, np.ndarray):
            array: NDArray[Any] = np.ascontiguousarray(cast("NDArray[Any]", part))
            digest.update(repr((array.dtype.str, array.shape)).encode() + array.tobytes())
        else:
            digest.update(repr(part).encode() + b";")

    for part in parts:
        add(part)
    return digest.hexdigest()
