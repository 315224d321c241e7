"""A plan: an affine solution for one d, and what can be done with it.

A `Plan` is private: z~ and the very existence of a plan depend on d. Only what `plan.release()`
returns may be published, and its privacy rests on the sensitivity that was assumed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense, Sparse, Vector
from privopt.claims.estimate import MeanEstimate
from privopt.claims.guarantee import Guarantee
from privopt.digits import charge, up
from privopt.discreet import discreet
from privopt.errors import InputError
from privopt.foreign import some
from privopt.kernel.release import Release
from privopt.kernel.releasing import released
from privopt.ledger.entry import Entry
from privopt.ledger.ledger import Ledger
from privopt.ledger.request import Request
from privopt.mechanisms.answer import Answer
from privopt.mechanisms.completed import (
    SEED,
    SolutionCosts,
    completed_loss,
    completed_words,
    simulated,
)
from privopt.mechanisms.completion import Completion
from privopt.mechanisms.curved import Curved
from privopt.mechanisms.question import Question
from privopt.mechanisms.randomness import generator_of
from privopt.mechanisms.repeat import Repeat
from privopt.mechanisms.simulation import row_test, verify_affine
from privopt.mechanisms.verify import Verification
from privopt.model.excess import loss_scale
from privopt.model.program import Optimum
from privopt.noise.calibration import Calibration
from privopt.show.pictures.intervals import Dots, intervals
from privopt.show.pictures.picture import Picture
from privopt.show.units import unit_column, unit_facts
from privopt.show.view import Fact, Table, View
from privopt.solving.affine import Affine, Recourse
from privopt.solving.margins import Margins
from privopt.solving.scaling import TOLERANCE, worth
from privopt.solving.working import Marks

__all__ = ["Plan"]


@dataclass(frozen=True, repr=False, eq=False)
class Plan(Answer):
    """An affine solution z(xi) = z~ + Z xi for one d. Private: it shows values only if asked.

    Attributes
    ----------
    question
        What was asked: program, query, noise, feasibility, objective, repeat. A key in a ledger
        stands for all of it.
    affine
        z~ and Z as one object; `expected` and `recourse` are its parts.
    optimum
        The non-private answer, for comparison; solved for when it is asked for, if `solved` does
        not hold it.
    cost, loss
        Expected cost of the affine solution, and its excess over the optimum's as a fraction of it.
        `completed_loss` is what is paid once a release is completed.
    guarantee
        What is claimed of a release, and on what ground.
    calibration
        Noise scale, grid and charge (public).
    margins, residual
        The margins the rows were given, and the largest relative excess of a row over them.
    marks
        Which rows bound: where a similar program can start (`solve(..., start=plan)`).
    curved, priced
        Of a program with a curved cost or curved limits: what makes of it rows and a quadratic
        cost, and `cost` with its interval: a mean over draws of the noise, or a point, where it
        `is_exact` (`expected_cost`). None of others, whose cost is exact.
    """

    question: Question
    affine: Affine
    cost: float
    guarantee: Guarantee
    calibration: Calibration
    margins: Margins = field(repr=False)
    residual: float
    solved: Optimum | None = field(default=None, repr=False)
    marks: Marks | None = field(default=None, repr=False)
    curved: Curved | None = field(default=None, repr=False)
    priced: MeanEstimate | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        n, p = self.recourse.shape
        return (
            f"Plan({n} variables, {p} released; charge epsilon={up(self.calibration.epsilon, 6)}, "
            f"delta={up(self.calibration.delta, 6)}; private: print .summary())\n"
            f"{self.guarantee}"
        )

    def view(self) -> View:
        """Each variable, and what the plan costs and claims."""
        noise, program, names = self.calibration, self.program, self.question.names
        tries = f", {noise.tries} tries" if noise.tries > 1 else ""
        columns = {
            "optimum": self.optimum.z,
            "expected": self.expected,
            "deviation": self.calibration.deviation * self.recourse.sizes,
            **unit_column(program.units, program.n),
        }
        return View(
            "Plan",
            Table("variable", program.names, columns),
            (
                Fact("program", program.sizes),
                Fact("released", some(names, 6, count=True)),
                Fact("noise", f"{self.privacy.describe()}, scale {noise.scale:.4g}{tries}"),
                Fact("charge", f"{charge(noise.epsilon, noise.delta)} for each release"),
                *unit_facts(program.units),
                Fact("cost", f"{self._price} expected; {self.optimum.cost:.6g} without privacy"),
                Fact("loss", f"{100 * self.loss:.3g}% as planned"),
                Fact("completed loss", completed_words(self.completed_loss)),
                Fact("distance", self._off),
                Fact(
                    "deviation",
                    f"of the cost {self.cost_deviation:.4g} (linear part), of the solution "
                    f"{self.solution_deviation:.4g}",
                ),
            ),
            guarantee=self.guarantee.in_units(program.units),
            private=True,
        )

    def plot(self) -> Picture:
        """The released values: the optimum's, and where noise moves the plan's. Private."""
        centre = self.centre
        noise = self.calibration.scale * self.calibration.law.half_width(0.05)
        lost = (
            f"completed loss {100 * self.completed_loss.value:.3g}%, distance {self.distance:.4g}"
        )
        marks = [
            Dots(
                "non-private answer",
                np.asarray(self.S @ self.optimum.z),
                ink="sampled",
            ),
            Dots(
                "plan, with 95% of a draw's noise",
                centre,
                centre - noise,
                centre + noise,
                "analytic",
            ),
        ]
        return intervals(
            self.question.names,
            marks,
            "PRIVATE: a plan beside the non-private answer",
            f"{lost}, distance {self.distance:.4g}; privacy {self.guarantee.privacy.label}, "
            f"feasibility {self.guarantee.feasibility.label}",
            "value",
        )

    @property
    def _price(self) -> str:
        """The cost, with how far a mean over draws may be off."""
        return f"{self.cost:.6g}" if self.priced is None else self.priced.figures()

    @property
    def repeat(self) -> Repeat | None:
        """Whether draws are repeated."""
        return self.question.repeat

    @property
    def expected(self) -> Vector:
        """z~, the solution at zero noise and on average."""
        return self.affine.offset

    @property
    def recourse(self) -> Recourse:
        """Z, how the solution answers the noise."""
        return self.affine.recourse

    @property
    def S(self) -> Sparse:
        """The query matrix."""
        return self.question.S

    @cached_property
    def optimum(self) -> Optimum:
        """The non-private answer, for comparison."""
        return self.program.solve() if self.solved is None else self.solved

    @property
    def centre(self) -> Vector:
        """S z~, what noise is added to."""
        return np.asarray(self.S @ self.expected)

    @property
    def loss(self) -> float:
        """(expected cost - optimal cost) / |optimal cost|.

        Relative to what the cost is made of where the optimum costs nothing (see `excess`).
        """
        program, optimum = self.program, self.optimum
        size = worth(program, optimum.z)
        scale = loss_scale(program, program.right_hand_side(), optimum.cost, size)
        return (self.cost - optimum.cost) / scale

    @cached_property
    def errors(self) -> Vector:
        """Root mean square error of each released value at d, bias and noise. Private."""
        bias = self.centre - np.asarray(self.S @ self.optimum.z)
        return np.hypot(bias, self.calibration.deviation)

    @property
    def distance(self) -> float:
        """The same of all values together: how far a release lies from the answer. Private."""
        return float(np.linalg.norm(self.errors))

    @property
    def _off(self) -> str:
        """How far off a release is. A plan has no domain: what varies is not known."""
        size = float(np.linalg.norm(np.asarray(self.S @ self.optimum.z)))
        return (
            f"{self.distance:.4g} expected, of the release from the true answer (bias and noise), "
            f"whose size is {size:.4g}"
        )

    @cached_property
    def completed_loss(self) -> MeanEstimate:
        """The loss once a release is completed at d, over draws of the noise, with its interval.

        Releases that cannot be completed are counted (`without`) and left out. Private.
        """
        return self._completed_loss()

    @discreet
    def _completed_loss(self) -> MeanEstimate:
        count = simulated(self.program)
        released = self.centre + self._simulate(count, np.random.default_rng(SEED))
        optimum = SolutionCosts.of(self.program, np.tile(self.optimum.z, (count, 1)))
        d = np.tile(self.program.d, (count, 1))
        return completed_loss(self.program, self.S, d, released, optimum)

    @property
    def cost_deviation(self) -> float:
        """Standard deviation of the linear part of the cost, sqrt(c1'Z Sigma Z'c1)."""
        row = self.recourse.under(self.program.linear[None, :])
        return self.calibration.deviation * float(np.linalg.norm(row))

    @property
    def solution_deviation(self) -> float:
        """sqrt(tr(Z Sigma Z'))."""
        return self.calibration.deviation * float(np.linalg.norm(self.recourse.sizes))

    def release(self, ledger: Ledger | None = None, key: str | None = None) -> Release:
        """Draw noise and release S z(xi): the paper's algorithms 1 and 2, or 3 and 4 repeated.

        The noise comes from the secure sampler; there is no seed. The charge covers all tries of
        this release. Each further release has its price again: the epsilons (and deltas) of all
        releases about the same data add up.

        Parameters
        ----------
        ledger
            Counts the release against a limit: charged on disk before the noise is drawn. Without
            one, nothing counts it, and the release says so.
        key
            Names the release in the ledger: asked again under the same key it is replayed, free.
        """
        return released(lambda: self.request, self._made, ledger, key, self.guarantee)

    @cached_property
    def request(self) -> Request:
        """What a release is charged for: public parameters, and a digest of the public program."""
        return self._request(self._mechanism, self.question.choices)

    @discreet
    def _made(self, entry: Entry | None) -> Release:
        base = self.centre
        values = self.calibration.draw(base)
        if self.repeat is not None:
            fails = self._test()
            for _ in range(self.calibration.tries - 1):
                if not fails(values[None, :])[0]:
                    break
                values = self.calibration.draw(base)
        return self._release(values, self._mechanism, self.calibration.exponent, entry)

    @property
    def _mechanism(self) -> str:
        return "plan" if self.repeat is None else f"plan, repeated ({self.repeat.test})"

    def realise(self, release: Release) -> Vector:
        """The whole solution behind a release, z~ + Z (y - S z~). Private: it holds d exactly."""
        made_here = (
            isinstance(release, Release)  # pyright: ignore[reportUnnecessaryIsInstance]
            and release.names == self.question.names
            and release.mechanism == self._mechanism
        )
        if not made_here:
            raise InputError(
                "this is no release of this plan: other names, another mechanism, or no release.",
                "a release made by this plan.",
                "pass the release that plan.release() returned.",
            )
        z = self.affine.at(release.values - self.centre)
        return z if self.curved is None else self.curved.completed(z[None])[0]

    def verify(
        self, samples: int = 10_000, rng: int | np.random.Generator | None = 0
    ) -> Verification:
        """Simulate releases: violation of z(xi), and releases that no feasible solution has."""
        generator = generator_of(rng)
        return verify_affine(
            self.program,
            self.S,
            self.affine,
            lambda count: self._simulate(count, generator),
            deviation=self.calibration.deviation,
            samples=samples,
        )

    def _simulate(self, count: int, rng: np.random.Generator) -> Dense:
        """Noise of `count` releases; of the tries of each, the one that is released."""
        xi = self.calibration.sample(rng, count)
        if self.repeat is None:
            return xi
        fails, base = self._test(), self.centre
        waiting = np.flatnonzero(fails(base + xi))
        for _ in range(self.calibration.tries - 1):
            xi[waiting] = self.calibration.sample(rng, len(waiting))
            waiting = waiting[fails(base + xi[waiting])]
        return xi

    def _test(self) -> Callable[[Dense], NDArray[np.bool_]]:
        """The test of the repetition: for each vector y (row), whether it is rejected."""
        if self.repeat is None or self.repeat.test == "published":
            broken = row_test(self.program, self.S, self.affine, self.calibration.deviation)
            base = self.centre
            return lambda y: broken(y - base)
        # A function of y and public data alone: not even whether z(xi) is feasible is asked here.
        public = np.setdiff1d(np.arange(len(self.program.equalities)), self.program.private)
        test = Completion(self.program, self.S, self.program.right_hand_side(), keep=public)
        return lambda y: test.impossible(y, TOLERANCE)
