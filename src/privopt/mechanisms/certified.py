"""A certified sensitivity: a factor proven for every pair of neighbours, and the plan under it.

    z~(d) = argmin { c(z) : A z <= b - h,  G z = d },      z(xi) = z~(d) + Z xi

with public recourse Z and margins h. `Certified`, made by `privopt.assess.certify`, brings along
what the proof is about: Z, h and the exact map from d to z~, with a digest of them all. The map is
the one whose pieces were enumerated, in the very numbers of the certificate
(`solving.solution_map`): d is clamped to the domain, z~ is a vector of fractions, and S z~ is
rounded once, to a grid whose share is part of the sensitivity. Of d, the private entries alone are
read: those that balance them are computed from them, those that are public are in the fingerprint.
So an answer comes for every d. The certificate holds for this very program, query, noise,
feasibility and domain; its fingerprint says whether they are the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, cast

import numpy as np

from privopt.arrays import Dense, Sparse, Vector
from privopt.claims.guarantee import Claim, Guarantee, Provenance
from privopt.claims.privacy import privacy_claim
from privopt.digest import digest_of
from privopt.digits import up
from privopt.errors import CombinationError, InfeasibleError, InputError
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.private_data import PrivateData
from privopt.mechanisms.question import Question
from privopt.model.objective import ExpectedCost
from privopt.model.program import ConvexProgram
from privopt.noise.calibration import asked
from privopt.noise.sensitivity import UNCORRELATED, Sensitivity, check_factor, kind_of_sensitivity
from privopt.solving.affine import Affine, Recourse
from privopt.solving.distance import LeastDistance
from privopt.solving.margins import Margins
from privopt.solving.scaling import Scaling, row_sizes
from privopt.solving.solution_map import SolutionMap
from privopt.solving.tightening import RESIDUAL

__all__ = ["Certified", "certified_plan", "fingerprint", "form_of"]

_FOLLOW = (
    "entries named with balance= follow the private ones: what d says of them is not read, and the "
    "plan is for what follows"
)


@kind_of_sensitivity
@dataclass(frozen=True, eq=False)
class Certified(Sensitivity):
    """The same for every pair of neighbours in a public domain, proven piece by piece.

    Made by `privopt.assess.certify`, from public data. It holds for one program, query, noise,
    feasibility and domain, with the map, recourse and margins it brings along; `solve` refuses
    others.

    Attributes
    ----------
    factor
        The certified factor, rounding included.
    regions
        Number of affine pieces of the solution map, all of them looked at.
    whole
        Whether a plan that keeps its margins is proven to exist for every d of the domain; then
        none is refused.
    recourse, margins
        Z, and what each row gives up for the noise and a little more.
    room
        That little: by so much the map may exceed a row.
    lower, upper
        The domain of the private entries of d, which they are clamped to.
    balance
        Entries of d that are computed from the private ones; d is not read there.
    rounding, exponent
        Released values are rounded to the grid 2^exponent; the part of the sensitivity for that.
    map
        From d to z~, in numbers that are taken as exact.
    digest
        Of all of the above. It finds accidents and edits, not somebody who makes a new one.
    """

    factor: float
    regions: int
    whole: bool
    recourse: Dense = field(repr=False)
    margins: Vector = field(repr=False)
    lower: Vector = field(repr=False)
    upper: Vector = field(repr=False)
    rounding: float = field(repr=False)
    balance: tuple[int, ...] = field(repr=False)
    rule: Margins = field(repr=False)
    feasibility: Claim = field(repr=False)
    fingerprint: tuple[tuple[str, str], ...] = field(repr=False)
    # What was made by hand, without a proof, has none of these.
    room: Vector = field(default_factory=lambda: np.zeros(0), repr=False)
    exponent: int = field(default=0, repr=False)
    map: SolutionMap | None = field(default=None, repr=False)
    digest: str = field(default="", repr=False)

    @classmethod
    def sealed(cls, **parts: Any) -> Certified:  # noqa: ANN401 -- the fields above
        """A certificate with the digest of its parts."""
        parts["factor"] = check_factor(parts["factor"], "use privopt.assess.certify.")
        return cls(**parts, digest=digest_of(tuple(sorted(parts.items()))))

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", check_factor(self.factor, "use privopt.assess.certify."))
        self.check()

    def check(self) -> SolutionMap:
        """The map, if nothing was changed since the certificate was made; refused otherwise."""
        if self.map is None or self.digest != self._digest():
            raise InputError(
                "the certificate was changed after it was made, or was made by version 0.1.0, "
                "whose proof did not hold for rows that are nearly parallel.",
                "a certificate as privopt.assess.certify returned it.",
                "call privopt.assess.certify again.",
            )
        return self.map

    def _digest(self) -> str:
        names = sorted(item.name for item in fields(self) if item.name != "digest")
        return digest_of(tuple((name, getattr(self, name)) for name in names))

    @property
    def provenance(self) -> Provenance:
        """A proof, where no d of the domain is refused; else it rests on that."""
        proven = self.whole and self.map is not None
        return Provenance.PROVEN if proven else Provenance.ASSUMED

    @property
    def because(self) -> str:
        """The proof in words."""
        pieces = "1 affine piece" if self.regions == 1 else f"{self.regions} affine pieces"
        return (
            f"recourse and margins are public and the released map of d has at most {pieces} over "
            "the public domain, which cover it; along none do neighbours differ by more than "
            f"{up(self.factor, 6)} alpha times the largest column norm of S"
        )

    def assumptions(self, *, unique: bool) -> tuple[str, ...]:
        """What the proof leaves to be believed. It holds for the map, unique or not."""
        kept = "d outside of the public domain is clamped to it, and the plan is for the clamped d"
        given = (UNCORRELATED, kept, *((_FOLLOW,) if self.balance else ()))
        if self.whole:
            return given
        return (
            *given,
            "neighbours at which a plan exists: whether it does depends on d, and for some d of "
            "the domain it may not; such d are refused",
        )


def form_of(program: ConvexProgram, data: PrivateData) -> LeastDistance:
    """The program over the whole domain; v = -1 and 1 are the ends of each entry that moves."""
    if len(program.cones):
        raise CombinationError(
            "the sensitivity of a program with curved costs or limits was to be certified.",
            "linear rows and a quadratic or piecewise-linear cost: the proof goes through the "
            "affine pieces of the solution.",
            "use decide or design, whose privacy is proven for any convex program.",
        )
    half = 0.5 * (data.upper - data.lower)[data.moving]
    return LeastDistance.of(
        program, data.target(data.middle), data.F[:, data.moving].toarray() * half
    )


def fingerprint(question: Question, data: PrivateData) -> tuple[tuple[str, str], ...]:
    """A digest of each public part. Private entries of d are not read."""
    program, privacy, feasibility = question.program, question.privacy, question.kept
    still = question.still
    matrices = (program.quadratic, program.A, program.G)
    vectors = (program.linear, program.b, program.lower, program.upper, program.private)
    if len(program.g):
        matrices, vectors = (*matrices, program.E), (*vectors, program.g)
    zero = np.zeros(len(program.private))
    common = (privacy.kind, privacy.epsilon, privacy.delta, privacy.one_alpha)
    own = [name for name in asked(type(privacy)) if name not in ("epsilon", "delta", "alpha")]
    noise = (*common, *([getattr(privacy, name) for name in own] or [""]))
    given = [
        (item.name, np.asarray(getattr(feasibility, item.name)))
        for item in fields(cast("Any", feasibility))
    ]
    return (
        (
            "program",
            digest_of(*map(_parts, matrices), *vectors, data.target(zero), data.F.toarray()),
        ),
        ("query", digest_of(_parts(question.S), np.zeros(0) if still is None else still)),
        ("noise", digest_of(*noise)),
        ("feasibility", digest_of(feasibility.kind, *given)),
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
    here = fingerprint(question, data)
    for (part, wanted), (_, digest) in zip(certificate.fingerprint, here, strict=True):
        if wanted != digest:
            raise _other(part)
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


def _other(part: str) -> CombinationError:
    return CombinationError(
        f"the certificate of the sensitivity is for another {part}.",
        "the program, query, noise and feasibility it was made for.",
        "call privopt.assess.certify again, with these.",
    )


def _parts(M: Sparse) -> tuple[Any, ...]:
    return M.shape, M.indptr.astype(np.int64), M.indices.astype(np.int64), M.data
