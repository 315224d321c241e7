"""A certificate: sealed, for one thing alone, and the plan that is made under it."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from tests.assess.flows import LAPLACE, ROWS, flow
from tests.assess.programs import shares

import privopt as po
from privopt.claims.guarantee import Provenance
from privopt.errors import CombinationError, InfeasibleError, InputError

KEPT = po.ExactBox(eta=0.1)


def certified(program: po.ConvexProgram, query: Any, noise: Any, domain: po.Box) -> tuple[Any, Any]:
    found = po.assess.certify(program, query, noise, KEPT, domain=domain)
    return found, dataclasses.replace(noise, sensitivity=found)


@pytest.mark.parametrize(
    "change",
    [
        {"factor": 1e-6},
        {"whole": False},
        {"margins": np.zeros(0)},
        {"recourse": np.zeros((2, 1))},
        {"exponent": 0},
        {"upper": np.array([3.0])},
        {"digest": "0" * 64},
        {"map": None},
    ],
)
def test_a_changed_certificate_is_refused(change: dict[str, Any]) -> None:
    plain, query = po.Laplace(epsilon=50.0, alpha=0.1), po.Identity([1])
    found, noise = certified(shares(1), query, plain, po.Box(0.0, 6.0))
    with pytest.raises(InputError, match="changed"):
        dataclasses.replace(found, **change)
    ((name, other),) = change.items()
    object.__setattr__(found, name, other)  # as an edited pickle would
    with pytest.raises(InputError, match="changed"):
        po.solve(shares(1).at([3.0]), query, noise, KEPT)


def test_what_a_certificate_computed_is_not_read_from_a_file() -> None:
    """Its digest covers the fields alone; other numbers would be used unseen."""
    plain = po.Laplace(epsilon=50.0, alpha=0.1)
    found, _ = certified(shares(1), po.Identity([1]), plain, po.Box(0.0, 6.0))
    exact: Any = found.map
    again = pickle.loads(pickle.dumps(exact))  # noqa: S301
    assert vars(exact).keys() > vars(again).keys()
    hostile = object.__new__(type(exact))
    hostile.__setstate__({**vars(exact), "numbers": "others", "least": 0})
    assert vars(hostile).keys() == vars(again).keys()


def test_a_certificate_of_the_first_version_loads_claims_no_proof_and_is_refused() -> None:
    program = po.ConvexProgram(quadratic=[1.0, 1.0], G=[[1, 1]], d=[1.2])
    plain = po.Laplace(epsilon=1.0, alpha=0.1)
    found, _ = certified(program, po.Identity([0]), plain, po.Box(1.0, 2.0))
    old = object.__new__(type(found))
    newer = {"room", "exponent", "map", "digest"}
    old.__dict__.update({k: v for k, v in vars(found).items() if k not in newer})
    assert "factor" in repr(old)
    assert old.provenance is Provenance.ASSUMED
    noise = dataclasses.replace(plain, sensitivity=old)
    with pytest.raises(InputError, match=r"0\.1\.0"):
        po.solve(program, po.Identity([0]), noise, KEPT)


def test_a_printed_factor_is_not_below_the_factor() -> None:
    found, _ = certified(
        shares(1), po.Identity([1]), po.Laplace(epsilon=50.0, alpha=0.1), po.Box(0.0, 6.0)
    )
    printed = next(word for word in found.because.split() if word.startswith("1.0"))
    assert found.factor <= float(printed) <= found.factor * (1 + 1e-5)


def test_a_certificate_makes_a_proven_plan() -> None:
    drawn, certified, noise = flow()
    plan = po.solve(drawn.program, drawn.query, noise, ROWS)
    claim = plan.guarantee.privacy
    assert claim.provenance is Provenance.PROVEN
    assert "affine piece" in claim.because
    assert any("clamped" in text for text in claim.assumptions)
    assert not any("every neighbour" in text for text in claim.assumptions)
    assert plan.calibration.sensitivity == pytest.approx(certified.factor * 0.1)
    assert (np.asarray(plan.recourse) == certified.recourse).all()
    assert plan.release().epsilon <= 1.0
    check = plan.verify(samples=2000)
    assert (check.rows.value <= 0.05 + 0.02).all()
    G, rows = drawn.program.equalities.matrix, drawn.program.rows
    assert np.asarray(G @ plan.expected) == pytest.approx(drawn.program.right_hand_side())
    assert (np.asarray(rows.matrix @ plan.expected) <= rows.bound - certified.margins + 1e-9).all()


def test_the_plan_is_the_optimum_under_the_margins() -> None:
    drawn, certified, noise = flow(0)
    program = drawn.program
    rows = program.rows
    plain = po.ConvexProgram(
        linear=program.linear,
        quadratic=program.quadratic,
        A=rows.matrix,
        b=rows.bound - certified.margins,
        G=program.equalities.matrix,
        d=program.right_hand_side(),
    )
    plan = po.solve(program, drawn.query, noise, ROWS)
    assert plan.expected == pytest.approx(plain.solve().z, abs=1e-5)


def test_a_certificate_survives_a_pickle() -> None:
    drawn, certified, _ = flow()
    twin = pickle.loads(pickle.dumps(certified))  # noqa: S301
    noise = dataclasses.replace(LAPLACE, sensitivity=twin)
    assert po.solve(drawn.program, drawn.query, noise, ROWS).calibration.epsilon <= 1.0


def cheaper(program: po.ConvexProgram) -> po.ConvexProgram:
    return po.ConvexProgram(
        linear=program.linear * 1.001,
        quadratic=program.quadratic,
        A=program.A,
        b=program.b,
        G=program.G,
        d=program.d,
        lower=program.lower,
        upper=program.upper,
    )


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda a: a | {"program": cheaper(a["program"])}, "another program"),
        (lambda a: a | {"query": po.Sum([[0, 1]])}, "another query"),
        (
            lambda a: a | {"privacy": dataclasses.replace(a["privacy"], epsilon=2.0)},
            "another noise",
        ),
        (lambda a: a | {"feasibility": po.Analytic(eta=0.04)}, "another feasibility"),
        (lambda a: a | {"feasibility": po.ExactBox(eta=0.05)}, "another feasibility"),
        (lambda a: a | {"objective": po.SolutionDeviation(phi=0.1)}, "another objective"),
        (lambda a: a | {"repeat": po.Repeat(mu=0.01)}, "repetition"),
    ],
)
def test_a_certificate_is_for_one_thing(change: Any, text: str) -> None:
    drawn, _, noise = flow()
    given = {
        "program": drawn.program,
        "query": drawn.query,
        "privacy": noise,
        "feasibility": ROWS,
    }
    with pytest.raises(CombinationError, match=text) as caught:
        po.solve(**change(given))
    assert "0.4" not in str(caught.value)


def test_a_certificate_is_for_plans() -> None:
    drawn, _, noise = flow()
    with pytest.raises(CombinationError, match="output perturbation"):
        po.output_perturbation(drawn.program, drawn.query, noise)
    with pytest.raises(CombinationError, match="design"):
        po.design(drawn.program, drawn.query, noise, ROWS, domain=drawn.domain)


def test_data_without_a_plan_are_told_apart() -> None:
    program = po.ConvexProgram(quadratic=[1.0, 1.0], G=[[1.0, 1.0]], lower=0.0, upper=1.0)
    noise, domain = po.Laplace(epsilon=50.0, alpha=0.1), po.Box(0.5, 3.0)
    certified = po.assess.certify(program, po.Identity([0]), noise, ROWS, domain=domain)
    assert not certified.whole
    assert certified.factor == pytest.approx(0.5, rel=1e-5)
    noise = dataclasses.replace(noise, sensitivity=certified)
    plan = po.solve(program.at([1.0]), po.Identity([0]), noise, ROWS)
    assert any("a plan exists" in text for text in plan.guarantee.privacy.assumptions)
    with pytest.raises(InfeasibleError, match="certified margins"):
        po.solve(program.at([1.9999]), po.Identity([0]), noise, ROWS)


def test_no_d_is_refused_for_what_should_balance_it() -> None:
    """Refusing one separates neighbours: d[0] moved by alpha, its total as it was."""
    program = po.ConvexProgram(
        quadratic=[1.0, 1.0, 0.1],
        G=[[1.0, 0.0, -1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 0.0]],  # the third is a total
        lower=-50.0,
        upper=50.0,
        private=[0],
        d=[1.5, 1.0, 2.5],
    )
    query, kept = po.Identity([0]), po.ExactBox(eta=0.1)
    certified = po.assess.certify(
        program, query, LAPLACE, kept, domain=po.Box(1.0, 2.0), balance=[2]
    )
    assert certified.whole
    noise = dataclasses.replace(LAPLACE, sensitivity=certified)

    def centre(*d: float) -> float:
        plan = po.solve(program.at(d), query, noise, kept)
        assert plan.guarantee.privacy.label == "PROVEN"
        return float(plan.centre[0])

    for u in (1.0, 1.5, 1.6, 2.0):
        # by hand: p0 = u + f, p1 = 1 - f, and 2 (u + f) - 2 (1 - f) + 0.2 f = 0
        f = (2 - 2 * u) / 4.2
        known = centre(u, 1.0, u + 1)
        assert known == pytest.approx(u + f, abs=1e-4)
        for total in (2.5, u + 1 + 4e-9, -1e300, 1e300, 10**400):
            assert centre(u, 1.0, total) == known
    for u, end in ((1e9, 2.0), (-1e12, 1.0), (10**400, 2.0)):
        assert centre(u, 1.0, 2.5) == centre(end, 1.0, end + 1)
    with pytest.raises(CombinationError, match="another program"):  # the second entry is public
        centre(1.5, 1.1, 2.6)
