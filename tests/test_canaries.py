"""Canaries: private values are fed through every path, and none comes out but in a release.

Each path below does what a curator would do, shows `Watch` everything that can be seen of it, and
says what is secret: d, the optimum, the plan, its cost, what was verified. Solver status and names
of rows that d chose are secret too.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import logging
import os
import pickle
import pkgutil
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import highspy
import numpy as np
import pandas as pd
import pytest
from tests.watch import Watch

import privopt as po
from privopt.errors import InfeasibleError, InputError, PrivoptError, SolverError, UnboundedError
from privopt.kernel import wire
from privopt.model import program as program_module
from privopt.solving.highs import WarmLP
from privopt.solving.problem import Outcome

D = (5.1234598761, 2.7182845907)  # the canaries
OTHER = (4.8765401239, 2.3141592653)
FAR = (31.415926535, 27.182818284)  # no solution
NAMES = ["load north", "load south"]
G = np.array([[1.0, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.3, 1.0, 1.0]])
QUERY = po.Identity(["b", "d"])
NOISE = po.Laplace(epsilon=1.0, alpha=0.05)
FEASIBILITY = po.Analytic(eta=0.05)
DOMAIN = po.Box([4.5, 2.0], [5.5, 3.0])


def program(d: Any = D, **more: Any) -> po.ConvexProgram:
    data: dict[str, Any] = {
        "linear": [1.0, 2.0, 3.0, 1.5, 2.5],
        "quadratic": [0.11, 0.13, 0.17, 0.19, 0.23],
        "G": G,
        "d": d,
        "lower": 0.0,
        "upper": 4.0,
        "names": list("abcde"),
        "data_names": NAMES,
    }
    return po.ConvexProgram(**(data | more))


def solved(d: Any = D, kept: Any = FEASIBILITY, **more: Any) -> po.Plan:
    return po.solve(program(d), QUERY, NOISE, kept, rng=0, **more)


@cache
def instrument() -> po.Instrument:
    """From a program that has d in it: an instrument reads none of it, and keeps none."""
    sums = {"north": NAMES[:1], "both": NAMES}
    return po.Instrument(sums, program=program(), privacy=NOISE, domain=DOMAIN)


def measured(d: Any = D, ledger: po.Ledger | None = None, key: str | None = None) -> po.Release:
    release = instrument().measure(d, ledger, key).release
    assert release is not None
    return release


@cache
def decided() -> po.Decision:
    return po.decide(program(), QUERY, instrument().measure(OTHER), po.ExactBox(eta=0.05))


def hide(watch: Watch, plan: po.Plan) -> None:
    """Everything a plan knows is secret."""
    watch.secret(D, plan.expected, plan.cost, plan.loss, plan.optimum.z, plan.optimum.cost)
    watch.secret(np.asarray(plan.recourse), plan.residual, plan.S @ plan.expected)
    watch.secret(plan.cost_deviation, plan.solution_deviation)


# Paths: what a curator does, and what is seen of it.


def programs(watch: Watch) -> None:
    good = program()
    watch.see(good, good.rows, good.equalities, good.at(OTHER), good.without_data())
    watch.secret(D, OTHER)
    labelled = pd.DataFrame(G, index=NAMES, columns=list("abcde"))
    texts = [f"{value!r} MW" for value in D]
    for bad in (
        [D[0], np.nan], [np.inf, D[1]], [*D, D[0]], [list(D)], texts, [str(v) for v in D],
        np.array(texts, dtype=object), {repr(D[0]): D[0], NAMES[1]: D[1]}, [D, [D[0]]], D[0] * 1j,
        {NAMES[0]: D, NAMES[1]: D[1]}, {NAMES[0]: texts[0], NAMES[1]: D[1]}, np.array([D, D]),
        {NAMES[0]: np.nan, NAMES[1]: D[1]}, {NAMES[0]: D[0], NAMES[1]: np.array(texts)},
        np.ma.masked_array(D, [True, False]), {repr(D)}, texts[0], [D[0], None],
        pd.Series(D, index=[repr(v) for v in D]), pd.Series(D, index=["x", repr(D[0])]),
        pd.Series([D[0], np.nan], index=NAMES), pd.Series([*D, D[0]], index=[*NAMES, NAMES[0]]),
        pd.DataFrame([D], columns=NAMES), object(), Path(repr(D[0])),
    ):  # fmt: skip
        watch.fails(lambda bad=bad: program(bad, G=labelled, data_names=None), InputError)
        watch.fails(lambda bad=bad: good.at(bad), InputError)
        watch.fails(lambda bad=bad: good.solve(d=bad), InputError)
        watch.fails(lambda bad=bad: measured(bad), InputError)
        watch.fails(lambda bad=bad: decided().complete(bad), InputError)
    watch.fails(lambda: good.at([D[0], 10**400]).solve(), InputError)
    watch.fails(lambda: good.cost([*D, np.nan, *D]), InputError)
    watch.fails(lambda: good.cost([repr(D)] * 5), InputError)


def plans(watch: Watch) -> None:
    for kept in (
        FEASIBILITY,
        po.Analytic(eta=0.05, margin="unimodal"),
        po.ExactBox(eta=0.05),
        po.SampledBox(eta=0.05, beta=0.1),
        po.Joint(eta=0.05, beta=0.1),
        po.Scenario(eta=0.05, beta=0.1),
    ):
        plan = solved(kept=kept)
        hide(watch, plan)
        factors = plan.margins.deviations
        if isinstance(kept, po.Joint):  # a function of d
            watch.secret(() if factors is None else factors)
        watch.see(plan, plan.program, plan.optimum, plan.recourse, plan.affine, plan.margins)
        watch.see(plan.marks, plan.guarantee, plan.calibration, (plan, plan.optimum))


def infeasible(watch: Watch) -> None:
    watch.secret(D, FAR)
    watch.words += program().rows.names
    narrow = po.Laplace(epsilon=0.02, alpha=0.5)
    for act in (
        lambda: program(FAR).solve(),
        lambda: program().solve(d=np.array(FAR)),
        lambda: solved(FAR),
        lambda: po.solve(program(), QUERY, narrow, po.ExactBox(eta=0.05)),
        lambda: po.output_perturbation(program(FAR), QUERY, NOISE),
        lambda: program(G=[[1.0] * 5, [1.0] * 5]).solve(),
    ):
        error = watch.fails(act, InfeasibleError)
        found = error.diagnose()
        watch.secret(found.excess)
        watch.see(found, error)
        assert found.summary()


def unbounded(watch: Watch) -> None:
    watch.secret(D)
    falling = program(linear=[1.0, 2.0, 3.0, 1.0, 2.0], quadratic=None, lower=None, upper=None)
    watch.fails(falling.solve, UnboundedError)
    watch.fails(lambda: po.solve(falling, QUERY, NOISE, FEASIBILITY), UnboundedError)


def out_of_time(watch: Watch) -> None:
    watch.secret(D)
    soon = po.Settings(time_limit=1e-9)
    for act in (
        lambda: program().solve(soon),
        lambda: solved(settings=soon),
        lambda: po.output_perturbation(program(), QUERY, NOISE, settings=soon),
        lambda: po.input_perturbation(program(), QUERY, NOISE, settings=soon).release(),
    ):
        error = watch.fails(act, SolverError)
        watch.see(error.private, error)
        assert "time limit was reached" in error.private.reveal()


def out_of_iterations(watch: Watch) -> None:
    watch.secret(D)
    error = program_module.stopped(Outcome.STALLED)
    watch.raised(error)
    eye = np.eye(2)

    class Short(highspy.Highs):
        def run(self) -> Any:
            self.setOptionValue("simplex_iteration_limit", 0)
            self.setOptionValue("presolve", "off")
            return super().run()

    rows = eye + 0.5, np.array(D), np.full(2, np.inf)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(highspy, "Highs", Short)
        lp = WarmLP(np.ones(2), *rows, np.zeros(2), np.ones(2) * 9)
    error = watch.fails(lp.solve, SolverError)
    watch.see(error.private)
    assert "limit" in error.private.reveal()


def foreign_failures(watch: Watch) -> None:
    """What numpy or a solver might say of d."""
    watch.secret(D)

    def broken(*_: Any, **__: Any) -> Any:
        try:
            return float(f"{D[0]!r} MW")
        except ValueError as error:
            error.add_note(f"at {D[1]:.6g}")
            raise RuntimeError(D) from error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program_module, "optimum", broken)
        for act in (
            program().solve,
            solved,
            lambda: po.output_perturbation(program(), QUERY, NOISE),
        ):
            error = watch.fails(act, SolverError)
            assert repr(D[0]) in error.private.reveal()
    plan, decision = solved(), decided()
    watch.released += [float(value) for value in decision.values]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("privopt.mechanisms.simulation.Completion", broken)
        watch.fails(plan.verify, SolverError)
        patch.setattr("privopt.mechanisms.completion.ConvexProgram", broken)
        watch.fails(lambda: decision.complete(D), SolverError)
        patch.setattr("privopt.noise.secure.laplace_measurement", lambda *_: broken)
        for act in (plan.release, measured):
            watch.fails(act, SolverError)


def releases(watch: Watch) -> None:
    plan = solved()
    again = solved(repeat=po.Repeat(mu=1e-3), kept=po.ExactBox(eta=0.05))
    hide(watch, plan)
    hide(watch, again)
    outer = po.output_perturbation(program(), QUERY, NOISE)
    inner = po.input_perturbation(program(), QUERY, NOISE)
    watch.see(plan, again, outer, inner)
    for one in (plan, again, outer, inner):
        watch.public(one.release())
    watch.public(measured())


def decisions(watch: Watch) -> None:
    """The program that is chosen and decided for has d in it, and nothing of it is looked at."""
    optimum = program().solve()
    watch.secret(D, sum(D), optimum.z, optimum.cost)
    kept = po.ExactBox(eta=0.05)
    with pytest.MonkeyPatch.context() as patch:  # fewer simulations are enough
        patch.setattr("privopt.mechanisms.measured.choosing.FIRST", range(1))
        patch.setattr("privopt.mechanisms.measured.choosing.FRESH", range(1, 3))
        chosen = po.choose_instrument(program(), QUERY, NOISE, kept, domain=DOMAIN, epsilons=())
    for one in (chosen, instrument()):
        y = one.measure(D)
        watch.released += [float(value) for value in y.values]
        decision = po.decide(program(), QUERY, y, kept)
        assert not decision.program.has_data
        watch.public(decision.release())
        completed = decision.complete(D)
        watch.secret(completed.z, completed.cost)
        watch.see(one, y, decision, completed)
        watch.out += [("file", wire.text(one)), ("file", wire.text(y))]
        watch.out += [("summary", made.summary()) for made in (one, y, decision)]
        watch.out.append(("pickled", pickle.dumps((one, y))))
        watch.fails(lambda made=one: made.measure([D[0], np.nan]), InputError)
        watch.fails(lambda made=decision: made.complete([repr(v) for v in D]), InputError)


def whole_solutions(watch: Watch) -> None:
    plan, decision = solved(), decided()
    hide(watch, plan)
    release = plan.release()
    watch.public(release)
    watch.secret(plan.realise(release))
    watch.fails(lambda: plan.realise(measured()), InputError)
    watch.public(decision.release())
    done = decision.complete(D)
    watch.secret(done.z, done.cost)
    watch.see(done)
    watch.words += program().rows.names
    watch.fails(lambda: decision.complete(FAR), InfeasibleError)


def verifications(watch: Watch) -> None:
    loud = po.Laplace(epsilon=0.3, alpha=0.05)
    plan = po.solve(program(), QUERY, loud, FEASIBILITY)
    hide(watch, plan)
    outer = po.output_perturbation(program(), QUERY, loud)
    inner = po.input_perturbation(program(), QUERY, loud)
    for found in (plan.verify(2000), outer.verify(2000), inner.verify(50)):
        estimates = (found.violation, found.completion, found.rows, found.worst()[1])
        watch.see(found, *estimates)
        watch.secret(*(one.value for one in estimates), *(one.interval for one in estimates))
        watch.words += [one.summary() for one in estimates[:2]]
        assert found.violation.summary() in found.summary()
        watch.words.append(found.worst()[0])


def ledgers(watch: Watch) -> None:
    with po.Ledger(watch.folder / "ledger.db", po.Budget(20, 1e-3)) as ledger:
        for one in (solved(), po.input_perturbation(program(), QUERY, NOISE)):
            watch.public(one.release(ledger))
        watch.secret(D, solved().expected, solved().cost, solved().optimum.z)
        for _ in range(2):
            watch.public(measured(D, ledger, "once"))
        for bad in ([D[0], np.nan], [f"{D[0]} MW", D[1]]):
            watch.fails(lambda bad=bad: measured(bad, ledger, str(len(watch.out))))
        watch.see(ledger, ledger.spent)


def tables(watch: Watch) -> None:
    """Rows of customers, good and bad, as a frame and in files; and the curator's look at them."""
    watch.secret(D, sum(D))
    made = po.ConvexProgram(linear=[1.0, 2.0], G=np.eye(2), lower=0, data_names=NAMES)
    rows = {"name": NAMES * 2, "customer": ["ann", "ann", "bob", "bob"],
            "load": [*(v - 1.25 for v in D), 1.25, 1.25]}  # fmt: skip
    frame = pd.DataFrame(rows)
    frame.to_csv(watch.folder / "rows.csv", index=False)
    read = po.read_data(watch.folder / "rows.csv", made)
    assert read.d == pytest.approx(D)
    total = po.Instrument({"total": NAMES}, program=made, privacy=NOISE, domain=DOMAIN)
    found = po.look(total, read.d, read.rows)
    assert {one.about for one in found.findings} <= {"owners", "whole customers"}
    far = po.look(total, 1000 * read.d)
    watch.see(read, read.rows, found, far, far.findings[0].about)
    y = total.measure(read.d)
    watch.released += [float(value) for value in y.values]
    watch.see(y)
    for column, cell in (
        ("load", f"{D[0]} MW"), ("load", f"{D[0]},5"), ("load", ""), ("name", f"{D[0]}"),
        ("customer", ""),
    ):  # fmt: skip
        bad = frame.astype(str)
        bad.loc[1, column] = cell
        watch.fails(lambda bad=bad: po.read_data(bad, made), InputError)
        bad.to_csv(watch.folder / "rows.csv", index=False)
        watch.fails(lambda: po.read_data(watch.folder / "rows.csv", made), InputError)
        bad.to_parquet(watch.folder / "rows.parquet")
        watch.fails(lambda: po.read_data(watch.folder / "rows.parquet", made), InputError)
    for content in (
        f"{D[0]},{D[1]}\n".encode(), f"name,load\n\xff,{D[0]}\n".encode("latin-1"),
        f'name,load\n"a,{D[0]}\n'.encode(), f"name,load\n{D[0]}\n".encode(),
        b"PAR1" + f"{D[0]}".encode() + b"PAR1",
    ):  # fmt: skip
        (watch.folder / "rows.csv").write_bytes(content)
        watch.fails(lambda: po.read_data(watch.folder / "rows.csv", made), InputError)
    for name in ("rows.csv", "rows.parquet"):
        (watch.folder / name).unlink()  # the curator's own


PATHS = [
    programs, plans, infeasible, unbounded, out_of_time, out_of_iterations, foreign_failures,
    releases, decisions, whole_solutions, verifications, ledgers, tables,
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.__name__)
def test_no_canary_comes_out(
    path: Callable[[Watch], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    decided()
    watch = Watch(tmp_path)
    with watch.listening(monkeypatch, capfd):
        path(watch)
    assert len(watch.numbers) >= 2
    assert len(watch.out) > 10
    assert not watch.leaks()


# The watch itself: each of these leaks must be found.


class Talkative(Exception):  # noqa: N818
    pass


def tells_in_its_repr(watch: Watch) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(po.Plan, "__repr__", lambda plan: f"Plan(costs {plan.cost:.6g})")
        watch.see([solved()])


def tells_on_a_page(watch: Watch) -> None:
    page = lambda _: f"<b>{D[0]:.5g}</b>"  # noqa: E731
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(po.Optimum, "_repr_html_", page, raising=False)
        watch.see(program().solve())


def tells_in_a_field(watch: Watch) -> None:
    watch.see(dataclasses.make_dataclass("Held", ["x"])(np.array(D)))


def tells_in_its_log(watch: Watch) -> None:
    logging.getLogger("privopt").debug("solving for %s", D)


def warns(watch: Watch) -> None:
    warnings.warn(f"rcond={D[0]:.6e}", stacklevel=1)


def prints(watch: Watch) -> None:
    os.write(2, f"objective {-D[0]:.4e}\n".encode())


def writes(watch: Watch) -> None:
    Path("core").write_bytes(np.array(D).tobytes())


def writes_hex(watch: Watch) -> None:
    Path("core").write_text(D[0].hex())


def names_a_file(watch: Watch) -> None:
    (watch.folder / f"run {D[0]:.8g}").touch()


def tells_in_percent(watch: Watch) -> None:
    watch.out.append(("page", f"violated in {100 * D[0]:.3f}% of the draws"))


def raises(watch: Watch) -> None:
    watch.raised(Talkative(D[0]))


def raises_with_a_note(watch: Watch) -> None:
    error = Talkative()
    error.add_note(f"at {D[0]:.7f}")
    watch.raised(error)


def raises_with_a_past(watch: Watch) -> None:
    """Hidden by `from None`, and still there for whoever looks."""

    def read() -> None:
        try:
            float(f"{D[0]} MW")
        except ValueError:
            raise InputError("got", "needed", "remedy") from None

    watch.fails(read)


def raises_with_an_attribute(watch: Watch) -> None:
    error = Talkative()
    error.__dict__["row"] = list(D)
    watch.raised(error)


def tells_how_it_ended(watch: Watch) -> None:
    watch.raised(SolverError("ended with MaxIterations.", "an optimum.", "rescale."))


PLANTED = [
    tells_in_its_repr, tells_on_a_page, tells_in_a_field, tells_in_its_log, warns, prints, writes,
    writes_hex, names_a_file, tells_in_percent, raises, raises_with_a_note, raises_with_a_past,
    raises_with_an_attribute, tells_how_it_ended,
]  # fmt: skip


@pytest.mark.parametrize("leak", PLANTED, ids=lambda leak: leak.__name__)
def test_a_planted_leak_is_found(
    leak: Callable[[Watch], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    watch = Watch(tmp_path)
    hide(watch, solved())
    with watch.listening(monkeypatch, capfd):
        leak(watch)
    assert watch.leaks()


def test_a_released_value_is_allowed_and_the_private_one_beside_it_is_not(tmp_path: Path) -> None:
    plan = solved()
    watch = Watch(tmp_path)
    hide(watch, plan)
    watch.public(plan.release())
    assert not watch.leaks()
    watch.out.append(("page", f"{watch.released[0]:.6g} (without noise {plan.expected[1]:.6g})"))
    assert watch.leaks()


# Types and texts.


@pytest.mark.parametrize(
    "make",
    [
        lambda d: solved(d).release(),
        lambda d: solved(d, po.Joint(eta=0.05, beta=0.1)).release(),
        lambda d: solved(d, po.ExactBox(eta=0.05), repeat=po.Repeat(mu=1e-3)).release(),
        measured,
        lambda d: po.output_perturbation(program(d), QUERY, NOISE).release(),
        lambda d: po.input_perturbation(program(d), QUERY, NOISE).release(),
    ],
    ids=["plan", "joint", "repeated", "measurement", "output", "input"],
)
def test_releases_of_different_data_differ_in_their_values_only(make: Any) -> None:
    first, second = (make(d).to_dict() for d in (D, OTHER))
    shapes = [[type(value) for value in one.pop("values")] for one in (first, second)]
    assert shapes[0] == shapes[1] == [float, float]
    assert first == second
    assert list(first) == list(second)


WEAK = (16.6, 11.1)  # other data that have no solution


@pytest.mark.parametrize(
    ("act", "pair"),
    [
        (lambda d: program(d).solve(), (FAR, WEAK)),
        (lambda d: solved(d), (FAR, WEAK)),
        (lambda d: solved(d, po.ExactBox(eta=1e-6)), ((11.9, 3.0), (11.8, 2.9))),
        (lambda d: po.output_perturbation(program(d), QUERY, NOISE), (FAR, WEAK)),
        (lambda d: decided().complete(d), (FAR, WEAK)),
        (lambda d: solved(d, settings=po.Settings(time_limit=1e-9)), (D, OTHER)),
        (lambda d: program(d), ((np.nan, D[0]), (OTHER[0], np.inf))),
        (measured, ((np.nan, D[0]), (OTHER[0], np.inf))),
        (lambda d: program(pd.Series(D, index=d), G=pd.DataFrame(G, index=NAMES)), (D, OTHER)),
    ],
    ids=[
        "program", "plan", "noise", "output", "completion", "time", "NaN", "measured NaN", "labels",
    ],
)  # fmt: skip
def test_errors_about_different_data_have_the_same_text(act: Any, pair: tuple[Any, Any]) -> None:
    texts: list[tuple[type, str]] = []
    for d in pair:
        with pytest.raises(PrivoptError) as caught:
            act(d)
        texts.append((type(caught.value), str(caught.value)))
    assert texts[0] == texts[1]


def private_things() -> list[Any]:
    plan = solved()
    with pytest.raises(InfeasibleError) as caught:
        program(FAR).solve()
    return [
        plan, plan.optimum, plan.program, plan.recourse, plan.affine, plan.verify(100),
        plan.verify(100).violation, caught.value.diagnose(), caught.value,
        po.output_perturbation(program(), QUERY, NOISE),
        po.input_perturbation(program(), QUERY, NOISE),
        decided().complete(D),
    ]  # fmt: skip


def test_only_public_types_have_a_way_out(tmp_path: Path) -> None:
    for thing in private_things():
        with pytest.raises(InputError, match="private"):
            wire.dump(thing, tmp_path / "file")
        exports = ("to_dict", "to_json", "to_bytes", "save")
        assert not [name for name in exports if hasattr(thing, name)], type(thing).__name__
    assert not list(tmp_path.iterdir())
    for thing in (instrument(), measured(), decided()):
        wire.dump(thing, tmp_path / "file")
        assert (tmp_path / "file").is_file()


# Parts of privopt that see public parameters only; the rest works on private data.
PUBLIC = (
    "ledger", "assess", "noise", "feasibility", "cli", "experiments", "networks", "report",
    "domain", "fidelity", "guarantee", "objective", "query", "repeat",
    "certified", "fixed", "private_data", "release", "terms", "measured", "robust", "curve",
)  # fmt: skip
SIZES = {
    "Cone",
    "Settings",
    "Rows",
    "Running",
    "UnitLabels",
}  # of the others, those whose fields are sizes, shapes, settings, units


def test_no_type_of_the_private_side_shows_its_fields() -> None:
    shown: set[str] = set()
    for found in pkgutil.walk_packages(po.__path__, "privopt."):
        if {*PUBLIC, "__main__"} & set(found.name.split(".")[1:]):
            continue
        module = importlib.import_module(found.name)
        for name, one in inspect.getmembers(module, inspect.isclass):
            own = one.__module__ == found.name and dataclasses.is_dataclass(one)
            if own and hasattr(one.__repr__, "__wrapped__"):  # as the decorator writes it
                shown.add(name)
    assert shown <= SIZES, "give it repr=False, or a repr of shapes: the values may be private"
