"""What one would do without privopt, behind the same `release` and `verify`.

- Output perturbation: solve for d, add noise to the released values. The rest of the solution does
  not follow, so the constraints break.
- Input perturbation: add noise to the private entries of d, solve for the noisy data. Private for
  every neighbour, whatever the solver does, if d is clamped to a public domain; but it answers
  another problem.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Vector
from privopt.claims.guarantee import Claim, Guarantee, Provenance, Scope
from privopt.claims.privacy import input_claim
from privopt.discreet import discreet
from privopt.errors import InfeasibleError
from privopt.kernel.release import Release
from privopt.kernel.releasing import released
from privopt.ledger.entry import Entry
from privopt.ledger.ledger import Ledger
from privopt.ledger.request import Request
from privopt.mechanisms.answer import Answer
from privopt.mechanisms.question import Question
from privopt.mechanisms.randomness import generator_of
from privopt.mechanisms.simulation import verify_affine, verify_solutions
from privopt.mechanisms.verify import Verification, check_samples
from privopt.model.domain import Box, checked_domain
from privopt.model.program import ConvexProgram, Optimum, failure
from privopt.model.query import Query
from privopt.noise.calibration import Calibration, Privacy
from privopt.noise.neighbours import exact_alpha, widened
from privopt.scalars import round_up
from privopt.show.pictures.intervals import Dots, intervals
from privopt.show.pictures.picture import Picture
from privopt.show.view import Table, View
from privopt.solving.affine import Affine, Recourse
from privopt.solving.problem import Cone, ConicProblem, Outcome
from privopt.solving.scaling import Scaling
from privopt.solving.solver import Settings, solve_conic

__all__ = [
    "InputPerturbation",
    "OutputPerturbation",
    "input_perturbation",
    "nearest_feasible",
    "output_perturbation",
]

OUTPUT, INPUT = "output perturbation", "input perturbation"
NOTHING = Claim(
    "nothing is claimed about feasibility",
    Provenance.ASSUMED,
    "the noise is not part of the program",
    Scope.NONE,
)


class _Perturbation(Answer):
    """Noise on numbers that d decides: the answer, or the data themselves."""

    @property
    @abstractmethod
    def _noised(self) -> tuple[str, tuple[str, ...], Vector]:
        """What noise is added to, with the names and the numbers."""

    def view(self) -> View:
        """The numbers without noise, and how far it moves them."""
        what, names, numbers = self._noised
        deviation = np.full(len(names), self.calibration.deviation)
        return View(
            f"Noise on each {what}",
            Table(what, names, {"without noise": numbers, "deviation": deviation}),
            guarantee=self.guarantee.in_units(self.program.units),
            private=True,
        )

    def plot(self) -> Picture:
        """The numbers, and where noise moves them. Private."""
        what, names, numbers = self._noised
        width = self.calibration.scale * self.calibration.law.half_width(0.05)
        return intervals(
            names,
            [Dots("without noise", numbers, numbers - width, numbers + width)],
            f"PRIVATE: each {what}, with 95% of its noise",
            f"privacy {self.guarantee.privacy.label}, feasibility "
            f"{self.guarantee.feasibility.label}",
            what,
        )


@dataclass(frozen=True, repr=False, eq=False)
class OutputPerturbation(_Perturbation):
    """The optimum with noise added to the released values. Private, like a plan."""

    question: Question
    optimum: Optimum
    calibration: Calibration
    guarantee: Guarantee

    def __repr__(self) -> str:
        return f"OutputPerturbation({self.calibration.size} released; private)\n{self.guarantee}"

    @property
    def _noised(self) -> tuple[str, tuple[str, ...], Vector]:
        return "released value", self.question.names, self.centre

    @property
    def centre(self) -> Vector:
        """What noise is added to: S z*. Private."""
        return np.asarray(self.question.S @ self.optimum.z)

    def release(self, ledger: Ledger | None = None, key: str | None = None) -> Release:
        """S z* plus noise; see `Plan.release`."""
        return released(lambda: self.request, self._made, ledger, key, self.guarantee)

    @cached_property
    def request(self) -> Request:
        """What a release is charged for: public parameters, and a digest of the public program."""
        return self._request(OUTPUT)

    @discreet
    def _made(self, entry: Entry | None) -> Release:
        values = self.calibration.draw(self.centre)
        return self._release(values, OUTPUT, self.calibration.exponent, entry)

    def verify(
        self, samples: int = 10_000, rng: int | np.random.Generator | None = 0
    ) -> Verification:
        """Simulate releases; what is not released stays where it was."""
        S = self.question.S
        follows = np.asarray(np.linalg.pinv(S.toarray()), dtype=float)
        affine = Affine(self.optimum.z, Recourse(follows))
        draw = partial(self.calibration.sample, generator_of(rng))
        deviation = self.calibration.deviation
        return verify_affine(self.program, S, affine, draw, deviation=deviation, samples=samples)


@dataclass(frozen=True, repr=False, eq=False)
class InputPerturbation(_Perturbation):
    """The solution for noisy data. Each release solves a program.

    With a domain its privacy is proven, for the numbers that the curator has. Without one it is
    proven for what floats make of them, and labelled ASSUMED.
    """

    question: Question
    calibration: Calibration
    guarantee: Guarantee
    domain: Box | None = None

    @property
    def settings(self) -> Settings:
        """How each program is solved."""
        return self.question.settings

    def __repr__(self) -> str:
        return (
            f"InputPerturbation({self.calibration.size} private entries; private)\n{self.guarantee}"
        )

    @property
    def _noised(self) -> tuple[str, tuple[str, ...], Vector]:
        names = self.program.private_names
        return "private entry", names, self.centre

    @property
    def centre(self) -> Vector:
        """What noise is added to: the private entries of d, clamped to the domain. Private."""
        private = self.program.d[self.program.private]
        names = self.program.private_names
        return private if self.domain is None else np.clip(private, *self.domain.ends(names))

    def release(self, ledger: Ledger | None = None, key: str | None = None) -> Release:
        """S z*(d + noise); where the noisy data are infeasible, the nearest feasible ones.

        For `ledger` and `key` see `Plan.release`.
        """
        return released(lambda: self.request, self._made, ledger, key, self.guarantee)

    @cached_property
    def request(self) -> Request:
        """What a release is charged for: public parameters, and a digest of the public program."""
        ends = None if self.domain is None else self.domain.ends(self.program.private_names)
        public = {"domain": None if ends is None else [ends[0].tolist(), ends[1].tolist()]}
        return self._request(INPUT, public)

    @discreet
    def _made(self, entry: Entry | None) -> Release:
        noisy = self.calibration.draw(self.centre)
        values = np.asarray(self.question.S @ self._answer(noisy))
        return self._release(values, INPUT, None, entry)

    @discreet
    def verify(
        self, samples: int = 1_000, rng: int | np.random.Generator | None = 0
    ) -> Verification:
        """Simulate releases: one program is solved for each draw."""
        check_samples(samples)
        noise = self.calibration.sample(generator_of(rng), samples)
        z = np.array([self._answer(self.centre + xi) for xi in noise])
        return verify_solutions(self.program, self.question.S, z)

    def _answer(self, noisy: Vector) -> Vector:
        program, settings = self.program, self.settings
        d = np.array(program.d)
        d[program.private] = noisy
        try:
            return program.solve(settings, d=d).z
        except InfeasibleError:
            return program.solve(settings, d=nearest_feasible(program, d)).z


def nearest_feasible(program: ConvexProgram, d: Vector) -> Vector:
    """The feasible data nearest to given ones: min ||w - d||_2 over A z <= b, G z = w.

    Public entries of d stay as they are. It reads noisy data only, so it is post-processing.
    """
    target = program.right_hand_side(d)
    scaling = Scaling.of(program, target)
    G = scaling.equalities(program.equalities.matrix)
    A = scaling.rows(program.rows.matrix)
    k, n, private = G.shape[0], program.n, program.private
    shift = sp.csr_array(
        (np.ones(len(private)), (private, np.arange(len(private)))), shape=(k, len(private))
    )
    weight = 1.0 / scaling.equality_factors[private]
    problem = ConicProblem(
        P=sp.block_diag([sp.csr_array((n, n)), sp.diags_array((weight / weight.max()) ** 2)]),
        q=np.zeros(n + len(private)),
        A=sp.block_array([[G, shift], [A, None]] if A.shape[0] else [[G, shift]]),
        b=np.concatenate([scaling.targets(target), scaling.bounds(program.rows.bound)]),
        cones=(Cone.zero(k), Cone.nonnegative(A.shape[0])),
    )
    answer = solve_conic(problem, Settings())
    if answer.outcome is not Outcome.OPTIMAL:
        raise failure(answer.outcome)
    z = scaling.variables(answer.x[:n])
    moved = np.array(d)
    moved[private] = np.asarray(program.G @ z)[private]
    return moved


def output_perturbation(
    program: ConvexProgram, query: Query, privacy: Privacy, settings: Settings | None = None
) -> OutputPerturbation:
    """Solve, and add noise to what is released."""
    question = Question(program, query, privacy, settings=settings or Settings())
    calibration, guarantee = question.calibration, Guarantee(question.claim, NOTHING)
    optimum = program.solve(question.settings)
    return OutputPerturbation(question, optimum, calibration, guarantee)


def input_perturbation(
    program: ConvexProgram,
    query: Query,
    privacy: Privacy,
    settings: Settings | None = None,
    *,
    domain: Box | None = None,
) -> InputPerturbation:
    """Add noise to the private entries of d, and solve for them.

    Parameters
    ----------
    program, query, privacy, settings
        The program with its d, what is released, the noise, and how the program is solved.
    domain
        `Box(lower, upper)`: public bounds that the private entries are clamped to. Without it
        nothing public bounds what converting d to floats can move, and the claim is ASSUMED.
    """
    question = Question(program, query, privacy, settings=settings or Settings())
    _ = question.S  # refused here, not at the first release
    _ = program.right_hand_side() if domain is None else program.d
    size, bound = len(program.private), None
    alpha = round_up(exact_alpha(question.privacy.one_alpha))
    if domain is not None:
        lower, upper = checked_domain(domain).ends(program.private_names)
        alpha = widened(question.privacy.one_alpha, lower, upper)
        bound = float(np.abs([lower, upper]).max(initial=0.0))
    calibration = privacy.calibrate(size, alpha, bound=bound)
    claim = input_claim(privacy, bounded=domain is not None)
    return InputPerturbation(question, calibration, Guarantee(claim, NOTHING), domain)
