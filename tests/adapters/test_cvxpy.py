"""cvxpy problems as programs: the same optimum, names, queries, refusals."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from tests.adapters.random_atoms import draw_atoms
from tests.adapters.random_problems import Drawn, Rng, draw
from tests.adapters.random_trees import draw_tree
from tests.reference.plain import solve_tightly

import privopt as po
from privopt.adapters import CvxpyProgram, from_cvxpy

SLOW = pytest.mark.slow
TIGHT = po.Settings(tolerance=1e-9)
REST = [k for k in range(20, 222) if k != 142]
NOISE, ROWS = po.Laplace(epsilon=1.0, alpha=0.1), po.ExactBox(eta=0.05)


def optimum_of(problem: cp.Problem) -> float | None:
    try:
        return solve_tightly(problem)
    except RuntimeError:
        if problem.status == cp.OPTIMAL_INACCURATE:  # it stalled short of its own tolerance
            return float(np.asarray(problem.value).item())
        if problem.status != cp.INFEASIBLE:
            raise
        return None


def same_optimum(drawn: Drawn, program: CvxpyProgram) -> None:
    """cvxpy's optimal value, at the first values and at others of the private parameters."""
    for values in (None, *drawn.values):
        if values is not None:
            program = program.at(values)
            for parameter in drawn.private:
                parameter.value = values[parameter.name()]
        best = optimum_of(drawn.problem)
        if best is None:
            with pytest.raises(po.errors.InfeasibleError):
                program.solve(TIGHT)
            continue
        z = program.solve(TIGHT).z
        assert program.objective(z) == pytest.approx(best, rel=1e-6, abs=1e-6)
        program.assign(z)
        with np.errstate(all="ignore"):  # a root of what is below zero by rounding
            value = float(np.asarray(drawn.problem.objective.value))
        assert np.isnan(value) or value == pytest.approx(best, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize(
    "seed", [*range(15), *(pytest.param(k, marks=SLOW) for k in range(15, 50))]
)
def test_random_problems_have_cvxpys_optimum(seed: int) -> None:
    drawn = draw(seed)
    same_optimum(drawn, from_cvxpy(drawn.problem, private=drawn.private))


@pytest.mark.parametrize(
    "seed", [*range(20), 142, 628, *(pytest.param(k, marks=SLOW) for k in REST)]
)
def test_every_convex_atom_has_cvxpys_optimum(seed: int) -> None:
    """Each of the 44 atoms is in a cost and in a limit, here or in the slow part."""
    drawn = draw_atoms(seed)
    same_optimum(drawn, from_cvxpy(drawn.problem, private=drawn.private))


# What may be added to a problem, private data in it or not: all of it is converted.
ADDED: dict[str, Callable[[Rng, list[Any], list[Any]], list[Any]]] = {
    "private in an inequality": lambda rng, v, p: [cp.sum(v[0]) <= cp.sum(p[0]) + 50],
    "private under a maximum": lambda rng, v, p: [cp.maximum(v[2], p[0][0]) <= 99],
    "private in a norm": lambda rng, v, p: [cp.norm(v[0][:1] - p[0][:1]) <= 50],
    "private above a norm": lambda rng, v, p: [cp.norm(v[0]) <= p[0][0] + 30],
    "private under an exponential": lambda rng, v, p: [cp.exp(0.1 * p[0]) + v[2] <= 99],
    "private in a logarithm": lambda rng, v, p: [cp.log(p[0] + 9) + 30 >= v[2]],
    "private as a divisor": lambda rng, v, p: [cp.quad_over_lin(v[0], p[0][0] + 9) <= 500],
    "cone around private data": lambda rng, v, p: [cp.SOC(50 + p[0][0], v[0])],
    "cones along an axis": lambda rng, v, p: [cp.SOC(v[1][0] + 50, v[1], axis=0)],
    "second-order cone": lambda rng, v, p: [cp.norm(v[0]) <= 30],
    "norm of one entry": lambda rng, v, p: [cp.SOC(v[2] + 30, v[0][:1])],
    "square in a constraint": lambda rng, v, p: [cp.sum_squares(v[0]) <= 1000],
    "exponential": lambda rng, v, p: [cp.exp(v[2]) <= 1e5],
    "exponential cone": lambda rng, v, p: [cp.ExpCone(v[0][:2], v[0][:2] + 30, v[2] + [99, 98])],
    "power": lambda rng, v, p: [cp.power(v[2], 4) <= 1e5],
    "power cone": lambda rng, v, p: [cp.PowCone3D(v[2] + 30, v[0][0] + 30, v[0][1], 0.3)],
    "redundant": lambda rng, v, p: 2 * [cp.sum(v[1]) <= 100.0],
    "infinite": lambda rng, v, p: [v[0] <= np.inf, 0 * v[0] <= 1, 0 * v[1] == 0],
    "private copied": lambda rng, v, p: _copied(p[0]),
    "doubled": lambda rng, v, p: (
        [cp.sum(v[0]) == v[0].value.sum()] * 2 + [2 * cp.sum(v[0]) == 2 * v[0].value.sum()]
    ),
    "private turned": lambda rng, v, p: _turned(p[-1]),
}


def _copied(parameter: Any) -> list[Any]:
    """The remedy for private data in the objective: a variable that equals them."""
    t = cp.Variable(parameter.size, name="copy")
    return [t == parameter, cp.norm1(t) <= 100, t >= -50]


def _turned(parameter: Any) -> list[Any]:
    """Private entries in another order and shape, some of them twice."""
    t = cp.Variable((parameter.size, 2), name="turned")
    flat = cp.reshape(parameter.T, (parameter.size, 1), order="C")
    return [cp.hstack([flat, 2 * flat[::-1]]) - 1 == t, t <= 50]


@pytest.mark.parametrize("added", ADDED)
@pytest.mark.parametrize(
    "seed", [100, pytest.param(101, marks=SLOW), pytest.param(102, marks=SLOW)]
)
def test_what_is_added_is_converted_too(added: str, seed: int) -> None:
    drawn = draw(seed, ADDED[added])
    same_optimum(drawn, from_cvxpy(drawn.problem, private=drawn.private))


@pytest.mark.parametrize("count", [40, pytest.param(150, marks=SLOW)])
def test_random_trees_are_refused_or_converted_rightly(count: int) -> None:
    converted = 0
    for seed in range(count):
        drawn = draw_tree(seed)
        try:
            program = from_cvxpy(drawn.problem, private=drawn.private)
        except po.errors.InputError:
            continue
        same_optimum(drawn, program)
        converted += 1
    assert 0.1 < converted / count < 0.9


def dispatch() -> tuple[cp.Problem, Any, Any, Any]:
    """Ten plants x serve three areas; what is missing there is bought, y."""
    x, y = cp.Variable(10, name="x", nonneg=True), cp.Variable((1, 3), name="y", bounds=[0, 2])
    demand = cp.Parameter(3, name="demand")
    reach = np.kron(np.eye(3), np.ones(3))
    cost = cp.sum_squares(x) + np.arange(10) @ x + 20 * cp.sum(y)
    served = (reach @ x[:9] + x[9] / 3 + y[0] == demand + 0.5).set_label("served")
    return cp.Problem(cp.Minimize(cost), [served, x <= 4]), x, y, demand


def test_from_a_problem_to_a_decided_release() -> None:
    x: Any
    x, demand = cp.Variable(10, name="x", nonneg=True), cp.Parameter(name="demand")
    cost = cp.Minimize(cp.sum_squares(x) + np.arange(10) @ x)
    problem = cp.Problem(cost, [cp.sum(x) == demand, x <= 4])
    program = from_cvxpy(problem, private=demand)
    noise = po.TruncatedLaplace(epsilon=1.0, delta=0.01, alpha=0.1)
    sums, domain = {"total": list(program.data_names)}, po.Box(15.0, 20.0)
    demand.value = 17.0
    instrument = po.Instrument(sums, program=program, privacy=noise, domain=domain)
    measured = instrument.measure(demand.value)
    decision = po.decide(program, po.Identity(x[:3]), measured, po.Always())
    release = decision.release()
    program.assign(decision.complete(demand.value).z)
    assert release.guarantee.privacy.provenance is po.Provenance.PROVEN
    assert release.names == ("x[0]", "x[1]", "x[2]")
    assert x.value[:3] == pytest.approx(release.values, abs=1e-7)
    assert all(constraint.violation().max() < 1e-7 for constraint in problem.constraints)


def test_names_are_the_users() -> None:
    problem, *_, demand = dispatch()
    program = from_cvxpy(problem, private=demand)
    assert not program.has_data
    assert program.names[9:16] == (
        "x[9]", "y[0,0]", "y[0,1]", "y[0,2]", "demand[0]", "demand[1]", "demand[2]",
    )  # fmt: skip
    assert program.data_names == ("demand[0]", "demand[1]", "demand[2]")
    assert program.row_names[:2] == ("constraint 1[0]", "constraint 1[1]")
    assert program.equalities.names[:4] == (*program.data_names, "served[0]")
    assert {"lower[x[0]]", "upper[y[0,2]]"} < set(program.rows.names)
    assert "upper[x[0]]" not in program.rows.names


def test_queries_are_expressions() -> None:
    problem, x, y, demand = dispatch()
    program = from_cvxpy(problem, private=demand)
    assert po.Identity(x[1:3]).names(program) == ("x[1]", "x[2]")
    assert po.Identity([y, x[0]]).names(program) == ("y[0,0]", "y[0,1]", "y[0,2]", "x[0]")
    assert po.Identity(["x[3]"]).names(program) == ("x[3]",)
    sums = po.Sum({"first": x[:2], "rest": x[2:]})
    assert sums.names(program) == ("first", "rest")
    wanted = np.zeros((2, program.n))
    wanted[0, :2] = wanted[1, 2:10] = 1.0
    assert (sums.matrix(program).toarray() == wanted).all()
    linear = po.Linear(cp.hstack([2 * x[0] - y[0, 1], cp.sum(x[:2]) / 4]))
    assert linear.names(program) == ("2 x[0] - y[0,1]", "0.25 x[0] + 0.25 x[1]")
    assert po.Linear(np.eye(10) @ x).matrix(program).nnz == 10
    assert po.Linear(cp.sum(x)).names(program) == ("y[0]",)  # too long a formula for a name


def test_expressions_that_are_no_query_are_refused() -> None:
    problem, x, _, demand = dispatch()
    program, other = from_cvxpy(problem, private=demand), cp.Variable(2, name="x")
    unset = cp.Parameter(name="unset")
    for query, why in [
        (po.Identity(2 * x), "no single variable"),
        (po.Identity(x[:2] + x[2:4]), "no single variable"),
        (po.Linear(x + 1), "constant"),
        (po.Linear(cp.abs(x)), "affine"),
        (po.Linear(cp.Constant([1.0])), "affine"),
        (po.Linear(demand[0] * x), "private"),
        (po.Linear(x[:3] + demand), "private"),
        (po.Linear(unset * x), "without a value"),
        (po.Identity(other), "not in the problem"),
        (po.Identity([x[0], x[0]]), "twice"),
        (po.Linear(cp.hstack([x[0], 2 * x[0]])), "rank"),
    ]:
        with pytest.raises(po.errors.InputError, match=why):
            query.matrix(program)
    plain = po.ConvexProgram(G=[[1.0, 1.0]], d=[1.0])
    for query in (po.Linear(x), po.Identity(x)):
        with pytest.raises(po.errors.InputError):
            query.matrix(plain)


def test_solutions_of_plans_go_back_to_the_problem() -> None:
    problem, x, y, demand = dispatch()
    demand.value = np.array([4.0, 3.5, 4.5])
    program = from_cvxpy(problem, private=demand)
    query = po.Sum([x[:3], x[3:6]])
    plan = po.solve(program, query, NOISE, ROWS)
    release = plan.release()
    for z in (program.solve().z, plan.expected, plan.realise(release)):
        found = program.assign(z)
        assert found["y"].shape == y.value.shape == (1, 3)
        assert problem.constraints[0].violation().max() < 1e-9
        assert problem.objective.value == pytest.approx(program.objective(z))
    assert np.add.reduceat(x.value, [0, 3])[:2] == pytest.approx(
        [release.values[0], release.values[1] + x.value[6:].sum()]
    )


def test_maximisation_and_constants_are_in_the_objective() -> None:
    x, supply = cp.Variable(2, name="x"), cp.Parameter(name="supply", value=3.0)
    profit = cp.Maximize(5 + x[0] - cp.sum_squares(x))
    problem = cp.Problem(profit, [cp.sum(x) == supply])
    program = from_cvxpy(problem, private=supply)
    z = program.solve(TIGHT).z
    assert program.objective(z) == pytest.approx(solve_tightly(problem), rel=1e-9)
    assert program.cost(z) == -program.objective(z)
    assert program.constant == -5


def test_data_come_in_the_shapes_of_the_parameters() -> None:
    x = cp.Variable((2, 3), name="x")
    load, total = cp.Parameter((2, 3), name="load"), cp.Parameter(name="total")
    t = cp.Variable(name="t")
    problem = cp.Problem(cp.Minimize(cp.sum_squares(x) + t**2), [x == load, t + x[0, 0] == total])
    one = from_cvxpy(cp.Problem(problem.objective, [x == load, t == 1]), private=load)
    value = np.arange(6.0).reshape(2, 3)
    assert one.data_names[:2] == ("load[0,0]", "load[1,0]")
    assert one.data(value).tolist() == [0, 3, 1, 4, 2, 5]
    assert one.assign(one.at(value).solve().z)["x"] == pytest.approx(value)
    assert one.at(one.data(value)).d.tolist() == one.at(value).d.tolist()
    both = from_cvxpy(problem, private=[total, load])
    wanted = [7, 0, 3, 1, 4, 2, 5]
    assert both.data({"load": value, "total": 7}).tolist() == wanted
    assert both.data([7, value]).tolist() == wanted
    assert both.at(wanted).d.tolist() == wanted
    for wrong in ({"load": value}, {"load": value.T, "total": 7}, [value, 7], [7, value, 1],
                  value, "x", None, [1.0]):  # fmt: skip
        with pytest.raises(po.errors.InputError):
            both.at(wrong)
    load.value = value
    assert not from_cvxpy(problem, private=[total, load]).has_data
    total.value = 7
    assert from_cvxpy(problem, private=[total, load]).d.tolist() == wanted


def test_a_decision_keeps_nothing_of_the_problem() -> None:
    problem, x, _, demand = dispatch()
    secret = np.array([4.012345, 3.5, 4.5])
    demand.value = secret
    program = from_cvxpy(problem, private=demand)
    program.assign(program.solve().z)
    sums, domain = {"total": list(program.data_names)}, po.Box(3, 5)
    measured = po.Instrument(sums, program=program, privacy=NOISE, domain=domain).measure(secret)
    decision = po.decide(program, po.Identity(x[0]), measured, po.ExactBox(eta=0.05))
    assert secret[:1].tobytes() in pickle.dumps(demand.value)
    stored = pickle.dumps(decision)
    assert secret[:1].tobytes() not in stored
    assert x.value[:1].tobytes() not in stored
    assert isinstance(decision.program, CvxpyProgram)
    for call in (decision.program.assign, decision.program.objective):
        with pytest.raises(po.errors.InputError, match="separated"):
            call(np.zeros(program.n))
    assert decision.release().names == ("x[0]",)
    assert po.Decision.from_dict(decision.to_dict()).names == ("x[0]",)


X, N, U = cp.Variable(3, name="x"), cp.Variable(2, name="n", integer=True), cp.Variable(name="u")
D, Q = cp.Parameter(name="demand"), cp.Parameter(name="price")
SERVED, LEAST = cp.sum(X) == D, cp.Minimize(cp.sum_squares(X))
BOUND = cp.Variable(3, name="b", bounds=[0, D])
HALF = cp.Variable((2, 2), name="h", PSD=True)
CALLED = cp.CallbackParam(lambda: D.value, name="twice")
TIED = cp.Parameter((2, 2), name="tied", symmetric=True)


def test_no_value_of_a_private_parameter_is_in_the_program() -> None:
    """It has none, or another: all that is public is the same."""
    known: list[Any] = []
    for value in (None, 7.25, -3.5):
        D.save_value(value)
        known.append(po.PublicProgram(from_cvxpy(cp.Problem(LEAST, [SERVED]), private=D)).to_dict())
    D.save_value(None)
    assert known[0] == known[1] == known[2]


@pytest.mark.parametrize(
    ("problem", "private", "names"),
    [
        (LEAST, D, "Minimize"),
        (cp.Problem(LEAST, [SERVED]), "demand", "str"),
        (cp.Problem(LEAST, [SERVED]), 3.0, "float"),
        (cp.Problem(LEAST, [SERVED]), None, "None"),
        (cp.Problem(LEAST, [SERVED]), [], "empty"),
        (cp.Problem(LEAST, [SERVED]), [D, D], "twice"),
        (cp.Problem(LEAST, [SERVED]), X, "Variable"),
        (cp.Problem(LEAST, [SERVED]), Q, "price"),
        (cp.Problem(cp.Minimize(Q * X[0]), [SERVED, X >= 0]), D, "price"),
        (cp.Problem(cp.Minimize(D + cp.sum(X)), [SERVED]), D, "the objective"),
        (cp.Problem(cp.Maximize(cp.sum_squares(X)), [SERVED]), D, "the objective"),
        (cp.Problem(LEAST, [SERVED, cp.sqrt(X[0]) <= 1]), D, "constraint 1"),
        (cp.Problem(LEAST, [SERVED, X[0] * X[1] == 1]), D, "constraint 1"),
        (cp.Problem(LEAST, [SERVED, (D * X <= 1).set_label("cap")]), D, "cap"),
        (cp.Problem(LEAST, [SERVED, cp.sum(N) == 1]), D, "n is integer"),
        (cp.Problem(LEAST, [SERVED, cp.trace(HALF) == 1]), D, "h is PSD"),
        (cp.Problem(LEAST, [SERVED, X == BOUND]), D, "bounds of b"),
        (cp.Problem(LEAST, [SERVED, X[0] <= CALLED]), D, "twice is computed"),
        (cp.Problem(LEAST, [cp.sum(X) == CALLED]), CALLED, "computed"),
        (cp.Problem(LEAST, [X[:2] == TIED[0]]), TIED, "symmetric"),
        (cp.Problem(LEAST, [SERVED, cp.Variable(name="demand") == 1]), D, "'demand'"),
        (cp.Problem(LEAST, [SERVED, X[0] == cp.Variable(3, name="x")[0]]), D, "'x[0]'"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_by_name(problem: Any, private: Any, names: str) -> None:
    with pytest.raises(po.errors.InputError) as caught:
        from_cvxpy(problem, private=private)
    assert names in caught.value.got
    assert caught.value.remedy
