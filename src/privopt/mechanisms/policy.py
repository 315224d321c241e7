"""A policy: an affine solution for every d of a public domain, and its releases. A public type.

    z(u, xi) = offset + gain u + recourse xi,      u = private entries of d - middle of the domain

Everything here was made from public data; only `release` and `complete` look at d. A release clamps
d to the domain, multiplies in exact integers (`fixed`), and adds noise: nothing is solved, so there
is no status, no iteration count and no solver time that could depend on d.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.claims.estimate import MeanEstimate, estimate_to_dict, mean_from_dict
from privopt.claims.guarantee import Guarantee
from privopt.claims.rule import Rule
from privopt.claims.worth import Worth
from privopt.digits import finite
from privopt.errors import InputError
from privopt.kernel.fixed import FixedMap
from privopt.kernel.policy import Identity, PolicyKernel
from privopt.kernel.release import Release
from privopt.kernel.wire import Public
from privopt.ledger.ledger import Ledger
from privopt.ledger.request import Request, digest
from privopt.mechanisms import policy_view
from privopt.mechanisms.completed import SEED, completed_loss, simulated
from privopt.mechanisms.completion import complete
from privopt.mechanisms.private_data import even_draws
from privopt.mechanisms.simulation import verify_policy
from privopt.mechanisms.verify import Verification
from privopt.model.magnitude import public_bound
from privopt.model.matrix_file import matrix, read_matrix
from privopt.model.program import ConvexProgram, Optimum
from privopt.model.program_file import program_from_dict, program_to_dict
from privopt.noise.calibration import Calibration, Privacy
from privopt.noise.calibration_file import calibration_from_dict, calibration_to_dict
from privopt.plain import floats, listed, number
from privopt.show.pictures.picture import Picture
from privopt.show.result import Result
from privopt.show.view import View
from privopt.solving.affine import Affine, Recourse

__all__ = ["Policy"]

_MOVES = 1e-6  # of the noise scale: what moves less does not follow


@dataclass(frozen=True, repr=False, eq=False)
class Policy(Public, Result):
    """What to release for any d of a domain, decided before d is known.

    Attributes
    ----------
    affine
        Offset, gain and recourse as one object.
    sensitivity
        s: noise level, as a multiple of what would hide a change of alpha in one value; 1 of an
        affine rule, whose noise is that of its measurement.
    cost, loss
        Expected cost of the affine solution over the prior, and (cost - mean optimal cost) / |mean
        optimal cost|; that mean, over public draws, is one number for all designs of a program,
        domain and prior. `completed_loss` is what is paid once a release is completed.
    distance
        Root mean square distance of the release, all values together, from the non-private answer,
        over the prior.
    unit
        The noise xi of the recourse, whose scale hides a change of alpha in one value; of an
        affine rule, the noise of its measurement.
    drawn
        Public draws of the private entries from the prior that was given; None: a uniform one (or a
        file of an earlier version, which did not keep them).
    kernel
        The part that reads d: exact map, noise, claims.
    priced
        Of a program with a curved cost, `cost` with its interval: a mean over public draws of data
        and noise, or a point, where it `is_exact` (`expected_cost`). None of others, whose cost is
        exact over a uniform prior.
    """

    kind: ClassVar[str] = "policy"
    version: ClassVar[int] = 3

    program: ConvexProgram
    S: Sparse
    kernel: PolicyKernel
    affine: Affine
    sensitivity: float
    cost: float
    loss: float
    distance: float
    unit: Calibration
    residual: float = field(default=0.0)
    drawn: Dense | None = field(default=None)
    priced: MeanEstimate | None = field(default=None)

    def __post_init__(self) -> None:
        # A policy is public: whatever program it was made from, it keeps none of its data.
        object.__setattr__(self, "program", self.program.without_data())

    def __repr__(self) -> str:
        return policy_view.in_short(self)

    def view(self) -> View:
        """Each released value, and what the policy costs and claims."""
        return policy_view.view_of(self)

    def to_pandas(self) -> Any:  # noqa: ANN401 -- pandas is optional
        """The table of released values as a data frame (the extra `pandas`)."""
        return policy_view.table_of(self).to_pandas()

    def plot(self) -> Picture:
        """Where each released value can lie, without and with its noise."""
        return policy_view.plot_of(self)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the released values."""
        return self.kernel.names

    @property
    def privacy(self) -> Privacy:
        """The noise that was asked for."""
        return self.kernel.privacy

    @property
    def map(self) -> FixedMap:
        """The released part, S (offset + gain u), in exact integers; of a rule, W u."""
        return self.kernel.map

    @property
    def rule(self) -> Rule | None:
        """How the released values follow from a measurement; None: noise is on them themselves."""
        return self.kernel.rule

    @property
    def written_as(self) -> int:
        """A policy without a rule is read by earlier versions, too."""
        return 2 if self.rule is None else self.version

    @property
    def guarantee(self) -> Guarantee:
        """What is claimed of a release."""
        return self.kernel.guarantee

    @property
    def calibration(self) -> Calibration | None:
        """Noise scale, grid and charge; None where the release is a constant and costs nothing."""
        return self.kernel.calibration

    @property
    def errors(self) -> Vector | None:
        """The same as `distance` of each value, bias and noise; its releases repeat it."""
        return None if self.worth is None else self.worth.errors

    @property
    def spreads(self) -> Vector | None:
        """The same of the best constant in the place of each value, the mean answer."""
        return None if self.worth is None else self.worth.spreads

    @property
    def spread(self) -> float | None:
        """Root mean square distance of the best constant: compare it with `distance`."""
        return None if self.spreads is None else math.hypot(*self.spreads)

    @property
    def worth(self) -> Worth | None:
        """What the values tell, beside a constant; None in a policy from a file of version 1."""
        return self.kernel.worth

    @cached_property
    def completed_loss(self) -> MeanEstimate:
        """The loss once the curator has completed a release (`complete`), over public draws.

        Of the data and of the noise, the same in every run; as a fraction, with its interval.
        Releases that cannot be completed are counted (`without`) and left out.
        """
        lower, upper = self.domain
        drawn = even_draws(lower, upper) if self.drawn is None else self.drawn
        drawn = drawn[: simulated(self.program)]
        z = self.offset + (drawn - 0.5 * (lower + upper)) @ self.gain.T
        released = np.asarray(self.S @ z.T).T
        if self.calibration is not None:
            xi = self.unit.sample(np.random.default_rng(SEED), len(z))
            released = released + xi @ np.asarray(self.recourse.under(self.S)).T
        return completed_loss(self.program, self.S, np.asarray(self.program.G @ z.T).T, released)

    @cached_property
    def reach(self) -> Vector:
        """How far each released value follows d over the domain, either way, without noise."""
        lower, upper = self.domain
        if self.calibration is None:
            return np.zeros(len(self.names))
        return np.abs(np.asarray(self.S @ self.gain)) @ (0.5 * (upper - lower))

    @property
    def moving(self) -> NDArray[np.bool_]:
        """Which released values follow d: those that move by more than rounding does."""
        scale = 0.0 if self.calibration is None else self.calibration.scale
        if self.rule is not None:
            scale *= float(np.abs(self.rule.slope).max())
        return np.asarray(self.reach > _MOVES * scale)

    @property
    def follows(self) -> bool:
        """Whether any released value follows d; if not, releases tell nothing about it."""
        return bool(self.moving.any())

    @property
    def offset(self) -> Vector:
        """The solution at the middle of the domain, without noise."""
        return self.affine.offset

    @property
    def gain(self) -> Dense:
        """K, how the solution follows the private data."""
        if self.affine.gain is None:
            raise TypeError("a policy has a gain")
        return self.affine.gain

    @property
    def recourse(self) -> Recourse:
        """Z, how the solution answers noise xi of the scale of `unit`: S Z = s I, or the slope."""
        return self.affine.recourse

    @cached_property
    def domain(self) -> tuple[Vector, Vector]:
        """Lower and upper bounds of the private entries of d."""
        return self.map.box

    def release(self, d: Any, ledger: Ledger | None = None, key: str | None = None) -> Release:  # noqa: ANN401
        """Release S z for the private data d: clamp, multiply, add noise.

        Each release has its price: the epsilons (and deltas) of all releases about the same data
        add up. Only the private entries of d are read.

        Parameters
        ----------
        d
            The data, in a form of `ConvexProgram.data`. A wrong length, shape or label is refused
            before the charge; a value that is no finite number, which only shows when d is read,
            after it.
        ledger
            Counts the release against a limit: charged on disk before d is read. Without one,
            nothing counts it, and the release says so.
        key
            Names the release in the ledger: asked again under the same key it is replayed, free.
        """
        return self.kernel.release(d, ledger, key, identity=lambda: self._identity)

    def complete(self, d: Any, release: Release) -> Optimum:  # noqa: ANN401
        """The best solution that has the released values, for the curator alone: it depends on d.

        Raises
        ------
        InfeasibleError
            No solution has them: the event whose probability the feasibility claim bounds.
        """
        if not isinstance(release, Release) or release.names != self.names:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(
                "this is no release of this policy.",
                "a release made by this policy.",
                "pass what policy.release(d) returned.",
            )
        return complete(self.program, self.S, d, release.values)

    def verify(
        self, samples: int = 10_000, rng: int | np.random.Generator | None = 0, *, at: str = "worst"
    ) -> Verification:
        """Simulate releases over the domain: at its worst vertices, or at random points.

        Parameters
        ----------
        samples, rng
            Number of draws, and their seed or generator.
        at
            "worst": each row at the vertex that is worst for it, all rows together at the vertices
            worst for the tightest rows (the worst of them counts). "random": a point of the domain
            for each draw.
        """
        return verify_policy(self, samples, rng, at)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: public data only, numbers that read back to the same bits.

        The program without d is in it, so that a loaded policy can release, complete and verify by
        itself. What a policy of version 1 does not know is left out: it stays the same policy.
        """
        kernel = self.kernel.to_dict()
        accuracy = {"errors": self.errors, "spreads": self.spreads}
        return {
            "program": program_to_dict(self.program),
            "query": matrix(self.S),
            "names": kernel["names"],
            "noise": kernel["noise"],
            "offset": self.offset.tolist(),
            "gain": self.gain.tolist(),
            "recourse": np.asarray(self.recourse).tolist(),
            "map": kernel["map"],
            "sensitivity": self.sensitivity,
            "cost": self.cost,
            "loss": finite(self.loss),
            "distance": self.distance,
            **{name: values.tolist() for name, values in accuracy.items() if values is not None},
            **({} if self.drawn is None else {"drawn": self.drawn.tolist()}),
            **({} if self.priced is None else {"priced": estimate_to_dict(self.priced)}),
            "residual": finite(self.residual),
            "guarantee": kernel["guarantee"],
            "unit": calibration_to_dict(self.unit),
            "calibration": kernel["calibration"],
            **{name: kernel[name] for name in ("rule", "units") if name in kernel},
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Policy:
        """The policy that `to_dict` wrote; ValueError or KeyError if it is none.

        What it claims of privacy is not read: the kernel makes the claim anew from map and noise.
        """
        kernel, program = PolicyKernel.from_dict(data), program_from_dict(data["program"])
        n, q, p = program.n, len(program.private), len(kernel.names)
        S = read_matrix(data["query"], p, n)
        r, bound = p, public_bound(program, S)
        if kernel.rule is not None:
            r, bound = len(kernel.rule.sums), kernel.map.bound()
        return cls(
            program=program,
            S=S,
            kernel=kernel,
            affine=Affine(
                floats(data["offset"], n),
                Recourse(floats(data["recourse"], n, r)),
                floats(data["gain"], n, q),
            ),
            sensitivity=number(data["sensitivity"]),
            cost=number(data["cost"]),
            loss=math.nan if data["loss"] is None else number(data["loss"]),
            distance=number(data["distance"]),
            unit=calibration_from_dict(kernel.privacy, data["unit"], r, bound),
            residual=-math.inf if data["residual"] is None else number(data["residual"]),
            drawn=floats(data["drawn"], max(1, len(listed(data["drawn"]))), q)
            if "drawn" in data
            else None,
            priced=mean_from_dict(data["priced"]) if "priced" in data else None,
        )

    @cached_property
    def _identity(self) -> Identity:
        return self.kernel.identity or (digest(self.to_dict()), digest(matrix(self.S)))

    @property
    def request(self) -> Request:
        """What a release is charged for: public parameters, and a digest of the policy."""
        return self.kernel.request(self._identity)
