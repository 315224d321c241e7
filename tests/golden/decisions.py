"""Golden decisions: instruments, measurements and what is decided from them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from tests.golden.answer import Answer
from tests.golden.plans import EXCESS, LAPLACE, RESIDUAL, TRUNCATED, claim, guarantee

import privopt as po

BOX = po.ExactBox(eta=0.05)
NETWORKS = ("3_lmbd", "5_pjm", "14_ieee", "39_epri", "57_ieee", "118_ieee")


def of_instrument(instrument: po.Instrument) -> dict[str, Any]:
    """The map, the noise and the charge of an instrument."""
    stored = instrument.to_dict()
    return {
        key: stored[key]
        for key in ("names", "noise", "map", "calibration", "data_names", "private")
    }


def of_measurement(measurement: po.Measurement) -> dict[str, Any]:
    return {
        "y": measurement.values, "epsilon": measurement.epsilon, "delta": measurement.delta,
        "names": list(measurement.names), "privacy": claim(measurement.claim),
    }  # fmt: skip


def of_decision(decide: Callable[[], po.Decision], d: Any, *, verified: int = 200) -> Answer:
    """What is kept of a decision; or how it was refused."""
    try:
        decision = decide()
    except po.errors.PrivoptError as error:
        return Answer(exact={"error": type(error).__name__})
    exact: dict[str, Any] = {
        "names": list(decision.names), "epsilon": decision.epsilon, "delta": decision.delta,
        "claims": guarantee(decision.guarantee), "certificate": decision.certificate is not None,
        "rests on": list(decision.release().rests_on),
    }  # fmt: skip
    answer = Answer(
        exact=exact,
        close={"loss": decision.loss, "spread": decision.spread},
        flat={
            "values": decision.values,
            "errors": decision.errors,
            "distance": decision.distance,
        },
    )
    if decision.certificate is not None:
        checked = decision.check()
        exact["check passes"] = bool(checked.excess <= 0 and checked.off <= RESIDUAL)
        solution = decision.complete(d)
        program = decision.program.at(d)
        off = np.abs(program.G @ solution.z - program.d).max() / (1 + np.abs(program.d).max())
        exact["completed"] = bool(off <= EXCESS)
        exact["S z = q"] = bool(np.abs(decision.S @ solution.z - decision.values).max() <= EXCESS)
        answer.close["completed cost"] = solution.cost
        if verified:
            answer.flat["violation"] = decision.verify(samples=verified, rng=0).completion.value
    return answer


def _total(instance: Any, privacy: Any = LAPLACE, W: Any = None, **more: Any) -> po.Instrument:
    count = len(instance.program.d)
    rows = np.ones((1, count)) if W is None else W
    domain = more.pop("domain", instance.domain)
    return po.Instrument(rows, program=instance.program, privacy=privacy, domain=domain, **more)


def _network(name: str) -> Answer:
    """The total, with and without fidelity; and two zones."""
    instance, answer = po.experiments.instance(name, 300), Answer()
    program, query, d = instance.program, instance.query, instance.program.d
    half = np.arange(len(d)) < len(d) // 2
    for what, W in {"total": None, "zones": np.vstack([half, ~half]).astype(float)}.items():
        measurement = _total(instance, W=W).measure(d)
        answer.exact[f"measurement of {what}"] = of_measurement(measurement)
        answer.put(what, of_decision(lambda m=measurement: po.decide(program, query, m, BOX), d))
        if what == "total" and name != "118_ieee":
            near = lambda m=measurement: po.decide(program, query, m, BOX, fidelity=0.1)  # noqa: E731
            answer.put("with fidelity", of_decision(near, d, verified=0))
    return answer


def _variants() -> Answer:
    """Noises, nearness, fallbacks and several measurements, on 14 nodes."""
    instance, answer = po.experiments.instance("14_ieee", 301), Answer()
    program, query, d = instance.program, instance.query, instance.program.d
    gaussian = po.Gaussian(epsilon=0.9, delta=1e-5, alpha=0.1)
    total = _total(instance).measure(d)
    bounded = _total(instance, TRUNCATED).measure(d)
    normal = _total(instance, gaussian).measure(d)
    parts = np.zeros((2, len(d)))
    parts[0, :7] = parts[1, 7:] = 1.0
    both = [total, _total(instance, W=parts).measure(d)]
    constant = _total(instance, W=np.zeros((0, len(d)))).measure(d)
    cases: dict[str, Callable[[], po.Decision]] = {
        "never fails": lambda: po.decide(program, query, bounded, po.Always()),
        "gaussian": lambda: po.decide(program, query, normal, BOX),
        "two measurements": lambda: po.decide(program, query, both, BOX),
        "within 0.1": lambda: po.decide(program, query, total, BOX, fidelity=po.Within(0.1)),
        "within 0.001": lambda: po.decide(program, query, total, BOX, fidelity=po.Within(0.001)),
        "constant": lambda: po.decide(program, query, constant, BOX),
        "sum": lambda: po.decide(program, instance.sums(1), total, BOX),
        "other seed": lambda: po.decide(program, query, total, BOX, rng=7),
    }
    for what, make in cases.items():
        answer.put(what, of_decision(make, d, verified=0))
    return answer


def _refused() -> Answer:
    """A program in which nothing can be decided, with and without a fallback."""
    program = po.ConvexProgram(
        linear=[1.0, 1.0], G=[[1, 1]], d=[6.0], lower=0, upper=[8.0, 0.05], names=["p", "q"]
    )
    instrument = po.Instrument([[1.0]], program=program, privacy=LAPLACE, domain=po.Box(0.0, 8.0))
    measurement, answer = instrument.measure([6.0]), Answer()
    answer.exact["measurement"] = of_measurement(measurement)
    given: dict[str, Any] = {"refused": {}, "fallback": {"fallback": [5.0]}}
    for what, more in given.items():
        make = lambda more=more: po.decide(program, po.Identity(["p"]), measurement, BOX, **more)  # noqa: E731
        answer.put(what, of_decision(make, [6.0], verified=0))
    fixed = po.Sum([["p", "q"]])
    answer.put(
        "fixed by d", of_decision(lambda: po.decide(program, fixed, measurement, BOX), [6.0])
    )
    return answer


def _owners() -> Answer:
    """Owners of several entries, alphas by entry, rows of the domain."""
    instance, answer = po.experiments.instance("14_ieee", 302), Answer()
    program, query, d = instance.program, instance.query, instance.program.d
    owners = [f"owner {k // 2}" for k in range(len(d))]
    alpha = np.where(np.arange(len(d)) < 7, 0.1, 0.05)
    W = np.vstack([np.arange(len(d)) < 7, np.arange(len(d)) >= 7]).astype(float)
    noises = {
        "each": po.Laplace(epsilon=1.0, alpha=alpha, owners=owners),
        "total": po.Laplace(epsilon=1.0, alpha=alpha, owners=owners, change="total"),
    }
    for what, noise in noises.items():
        instrument = _total(instance, noise, W)
        answer.exact[f"instrument, {what}"] = of_instrument(instrument)
        measurement = instrument.measure(d)
        answer.exact[f"measurement, {what}"] = of_measurement(measurement)
        answer.put(what, of_decision(lambda m=measurement: po.decide(program, query, m, BOX), d))
    rows = (np.ones((1, len(d))), [9.5], [11.5])
    domain = po.Domain(0.5, 1.0, rows=rows)
    measurement = _total(instance, domain=domain).measure(d)
    answer.exact["measurement, known range"] = of_measurement(measurement)
    answer.put("known range", of_decision(lambda: po.decide(program, query, measurement, BOX), d))
    return answer


def _horizon() -> Answer:
    """Eight hours with storage and ramps, one owner a bus over all hours."""
    network = po.networks.load("5_pjm")
    profile = [0.8, 0.7, 0.75, 0.9, 1.0, 0.95, 0.85, 0.8]
    program = network.program(
        periods=8, profile=profile, ramps=0.5,
        storage=[po.networks.Storage(bus=2, energy=1.0, power=0.5, efficiency=0.9)],
    )  # fmt: skip
    d, periods = np.asarray(program.d)[program.private], program.periods
    W = np.zeros((8, len(d)))
    W[list(periods.period), np.arange(len(d))] = 1.0
    noise = po.Laplace(epsilon=2.0, alpha=0.01, owners=list(periods.customers))
    domain = po.Box(0.9 * d, 1.1 * d)
    instrument = po.Instrument(W, program=program, privacy=noise, domain=domain)
    measurement, answer = instrument.measure(program.d), Answer()
    answer.exact["measurement"] = of_measurement(measurement)
    first = [name for name in program.names if name.startswith("p[")][:4]
    make = lambda: po.decide(program, po.Identity(first), measurement, BOX)  # noqa: E731
    made = of_decision(make, program.d)
    made.flat["spread"] = made.close.pop("spread")  # p[3]@00 is free over a range of optima
    answer.put("horizon", made)
    return answer


def _curved() -> Answer:
    """Cone limits and curved costs."""
    limit = po.NormLimit(C=["P", "Q"], g=5.0)
    program = po.ConvexProgram(
        linear=[1.0, 0.2, 3.0], G=[[1, 0, 1], [0, 1, 0.2]], d=[5.0, 2.0], names=["P", "Q", "buy"],
        lower=[0, -5, 0], upper=[5, 5, 9], cones=[limit],
        costs=[
            po.Power(C=["buy"], power=1.5),
            po.PiecewiseLinear(of="P", slopes=[0.0, 1.0], offsets=[0.0, -3.0]),
        ],
    )  # fmt: skip
    domain = po.Box([4.5, 1.5], [5.5, 2.5])
    instrument = po.Instrument(np.eye(2), program=program, privacy=LAPLACE, domain=domain)
    measurement, answer = instrument.measure(program.d), Answer()
    answer.exact["measurement"] = of_measurement(measurement)
    for what, fidelity in {"cost": 0.0, "fidelity": 1.0}.items():
        query = po.Identity(["P"])
        make = partial(po.decide, program, query, measurement, BOX, fidelity=fidelity)
        answer.put(what, of_decision(make, program.d))
    return answer


def _chosen(name: str) -> Answer:
    """What is chosen to measure, and what is said of it."""
    instance = po.experiments.instance(name, 400)
    instrument = po.choose_instrument(
        instance.program, instance.query, LAPLACE, BOX, domain=instance.domain, rng=0
    )
    candidates = instrument.to_dict()["comparison"]["candidates"]
    compared = [{key: one[key] for key in ("candidate", "sums")} for one in candidates]
    names = ("loss", "distance", "spread")
    return Answer(
        exact={"instrument": of_instrument(instrument), "candidates": compared},
        close={name: getattr(instrument, name) for name in names},
    )


JOBS: dict[str, Callable[[], Answer]] = {
    **{f"decisions_{name}": lambda name=name: _network(name) for name in NETWORKS},
    "decisions_variants": _variants,
    "decisions_refused": _refused,
    "decisions_owners": _owners,
    "decisions_horizon": _horizon,
    "decisions_curved": _curved,
    **{f"chosen_{name}": lambda name=name: _chosen(name) for name in ("5_pjm", "14_ieee")},
}
