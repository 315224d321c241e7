"""Golden plans: six networks in every reformulation and objective; noises, queries, baselines."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from tests.golden.answer import Answer

import privopt as po

LAPLACE = po.Laplace(epsilon=1.0, alpha=0.1)
TRUNCATED = po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.1)
EXACT = po.Analytic(eta=0.025)
UNIMODAL = po.Analytic(eta=0.025, margin="unimodal")
NETWORKS = ("3_lmbd", "5_pjm", "14_ieee", "39_epri", "57_ieee", "118_ieee")
RESIDUAL = 1e-9  # relative: a larger residual of an equality is no rounding
EXCESS = 1e-6  # relative: a larger excess of a limit is no tolerance of a solver


def claim(made: po.Claim) -> dict[str, Any]:
    """What a claim says, without its wording."""
    return {
        "provenance": made.provenance.value, "scope": made.scope.value,
        "confidence": made.confidence, "assumptions": len(made.assumptions),
    }  # fmt: skip


def guarantee(made: po.Guarantee) -> dict[str, Any]:
    return {"privacy": claim(made.privacy), "feasibility": claim(made.feasibility)}


def holds(program: po.ConvexProgram, z: Any) -> bool:
    """Whether z keeps equalities, rows and bounds of the program."""
    off = np.abs(program.G @ z - program.d).max() / (1 + np.abs(program.d).max())
    rows = (program.A @ z - program.b) / (1 + np.abs(program.b)) if len(program.b) else np.zeros(1)
    over = max(
        float(np.where(np.isfinite(rows), rows, -1).max()),
        float((z - program.upper).max()), float((program.lower - z).max()),
    )  # fmt: skip
    return bool(off <= RESIDUAL and over <= EXCESS)


def of_plan(make: Callable[[], po.Plan], *, verified: int = 0) -> Answer:
    """What is kept of a plan and of one release of it; or how it was refused."""
    try:
        plan = make()
    except po.errors.PrivoptError as error:
        return Answer(exact={"error": type(error).__name__})
    program, S = plan.program, plan.S
    Z = np.asarray(plan.recourse)
    released = plan.release()
    size = RESIDUAL * max(1.0, float(np.abs(Z).max()))
    exact = {
        "scale": plan.calibration.scale, "exponent": plan.calibration.exponent,
        "epsilon": released.epsilon, "delta": released.delta, "names": list(released.names),
        "claims": guarantee(plan.guarantee),
        "z~ keeps the limits": holds(program, plan.expected),
        "G Z = 0": bool(np.abs(program.G @ Z).max() <= size),
        "S Z = I": bool(np.abs(S @ Z - np.eye(S.shape[0])).max() <= size),
    }  # fmt: skip
    flat = {
        "released": released.values, "S z~": S @ plan.expected,
        "|z~|": np.linalg.norm(plan.expected), "|Z|": np.linalg.norm(Z),
    }  # fmt: skip
    close = {"cost": plan.cost, "loss": plan.loss, "optimum": plan.optimum.cost}
    answer = Answer(exact, close, flat)
    if verified:
        found = plan.verify(samples=verified, rng=0)
        answer.flat["violation"] = found.violation.value
        answer.flat["completion"] = found.completion.value
    return answer


def _network(name: str) -> Answer:
    instance = po.experiments.instance(name, 1)
    answer = Answer()

    def put(what: str, *given: Any, query: Any = None, verified: int = 0, **more: Any) -> None:
        def make() -> po.Plan:
            return po.solve(instance.program, query or instance.query, *given, **more)

        answer.put(what, of_plan(make, verified=verified))

    put("analytic", LAPLACE, EXACT, verified=200)
    put("unimodal", LAPLACE, UNIMODAL)
    put("exact box", LAPLACE, po.ExactBox(eta=0.1))
    put("sampled box", LAPLACE, po.SampledBox(eta=0.1, beta=0.01), rng=0)
    put("scenario", LAPLACE, po.Scenario(eta=0.1, beta=0.01, samples=100), rng=0)
    put("analytic, joint", LAPLACE, po.Analytic(eta=0.025, scope="joint"))
    put("joint", LAPLACE, po.Joint(eta=0.05, beta=0.01), rng=0)
    put("always", TRUNCATED, po.Always())
    deviation = po.SolutionDeviation(phi=0.2)
    put(
        "solution deviation",
        LAPLACE,
        UNIMODAL,
        objective=deviation,
    )
    printed = po.SolutionDeviation(phi=0.2, published=True)
    put(
        "deviation as printed",
        LAPLACE,
        UNIMODAL,
        objective=printed,
    )
    return answer


def _rest(name: str) -> Answer:
    """Noises, queries, repetition and baselines on one network."""
    instance = po.experiments.instance(name, 2)
    program, query, answer = instance.program, instance.query, Answer()
    gaussian = po.Gaussian(epsilon=0.9, delta=1e-5, alpha=0.1)
    classical = po.Gaussian(epsilon=0.9, delta=1e-5, alpha=0.1, calibration="classical")
    joint = po.Analytic(eta=0.1, scope="joint")

    def repeated(test: Any) -> po.Plan:
        return po.solve(program, query, LAPLACE, joint, repeat=po.Repeat(mu=0.01, test=test))

    wanted: dict[str, Callable[[], po.Plan]] = {
        "gaussian": lambda: po.solve(program, query, gaussian, EXACT),
        "classical": lambda: po.solve(program, query, classical, UNIMODAL),
        "sums": lambda: po.solve(program, instance.sums(1), LAPLACE, EXACT),
        "separate": lambda: po.solve(program, instance.sums(1, separate=True), LAPLACE, EXACT),
        "published test": lambda: repeated("published"),
        "public test": lambda: repeated("public"),
    }  # fmt: skip
    for what, make in wanted.items():
        answer.put(what, of_plan(make, verified=200))
    for what, baseline in {
        "output": po.output_perturbation,
        "input": po.input_perturbation,
    }.items():
        perturbed = baseline(program, query, LAPLACE)
        released, found = perturbed.release(), perturbed.verify(samples=200, rng=0)
        exact = {"epsilon": released.epsilon, "claims": guarantee(perturbed.guarantee)}
        flat = {"released": released.values, "completion": found.completion.value}
        answer.put(what, Answer(exact=exact, flat=flat))
    return answer


def _linear() -> Answer:
    """A linear cost, a linear query, owners, and the deviation of the cost (the paper's (8))."""
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0, 2.5, 1.2], G=[[1, 1, 1, 0, 0], [0, 0, 1, 1, 1]], d=[6.0, 5.0],
        lower=0.0, upper=[4.0, 4.0, 5.0, 6.0, 3.0],
    )  # fmt: skip
    answer = Answer()
    for phi in (0.1, 0.5):
        deviation = po.CostDeviation(phi=phi)
        make = partial(po.solve, program, po.Identity([0, 3]), LAPLACE, EXACT, objective=deviation)
        answer.put(f"cost deviation {phi:g}", of_plan(make))
    mixed = po.Linear([[1.0, 0.5, 0, 0, 0], [0, 0, 0, 1.0, -0.5]])
    answer.put("linear query", of_plan(partial(po.solve, program, mixed, LAPLACE, EXACT)))
    curved = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0], G=[[1, 1, 1]], d=[6.0], lower=0, upper=4,
        costs=[po.Power(C=[[1, 0, 0]], power=1.5)],
    )  # fmt: skip
    answer.put("curved cost", of_plan(partial(po.solve, curved, po.Identity([0]), LAPLACE, EXACT)))
    return answer


JOBS: dict[str, Callable[[], Answer]] = {
    **{f"plans_{name}": lambda name=name: _network(name) for name in NETWORKS},
    **{f"variants_{name}": lambda name=name: _rest(name) for name in ("5_pjm", "14_ieee")},
    "variants_linear": _linear,
}
