"""Certified design: the optimum of the model as written, public data only, and clear refusals."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from tests.reference.design import reference_cost

import privopt as po

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)
UNIMODAL = po.Analytic(eta=0.05, margin="unimodal")


def drawn(name: str, seed: int = 0) -> tuple[Any, np.ndarray, np.ndarray]:
    one = po.experiments.instance(name, seed)
    lower, upper = one.domain.ends(len(one.program.private))
    return one, lower, upper


@pytest.mark.parametrize("floor", [0.0, 1.0])
@pytest.mark.parametrize("name", ["3_lmbd", "5_pjm", "14_ieee"])
def test_the_optimum_of_the_model_as_written(name: str, floor: float) -> None:
    one, lower, upper = drawn(name)
    S = one.query.matrix(one.program)
    policy = po.design(one.program, one.query, NOISE, UNIMODAL, domain=one.domain, floor=floor)
    known, s = reference_cost(
        one.program, S, lower=lower, upper=upper, alpha=0.1, scale=policy.unit.scale,
        variance=2.0, factor=float(np.sqrt(2 / (9 * 0.05))), floor=floor,
    )  # fmt: skip
    assert policy.cost == pytest.approx(known, rel=2e-6)
    assert policy.sensitivity == pytest.approx(s, abs=2e-3)
    assert policy.residual <= 1e-8


def test_gaussian_noise_measures_in_the_other_norm() -> None:
    one, lower, upper = drawn("5_pjm", 1)
    noise = po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.1)
    policy = po.design(one.program, one.query, noise, UNIMODAL, domain=one.domain, floor=0.2)
    known, _ = reference_cost(
        one.program, one.query.matrix(one.program), lower=lower, upper=upper, alpha=0.1,
        scale=policy.unit.scale, variance=1.0, factor=float(np.sqrt(2 / (9 * 0.05))), order=2,
        floor=0.2,
    )  # fmt: skip
    assert policy.cost == pytest.approx(known, rel=2e-6)


@pytest.mark.parametrize("family", [po.Laplace, po.Gaussian, po.TruncatedLaplace])
@pytest.mark.parametrize("by_entry", [False, True])
def test_owners_share_a_budget_in_the_optimum(family: Any, by_entry: bool) -> None:
    """Column by column (Laplace), by cones (Gaussian), and under a box."""
    one, lower, upper = drawn("5_pjm", 2)
    q = len(lower)
    alpha = 0.1 * np.linspace(0.5, 1.5, q) if by_entry else np.full(q, 0.1)
    owners = [j % 2 for j in range(q)]
    delta = {} if family is po.Laplace else {"delta": 1e-3}
    noise = family(epsilon=1.0, alpha=alpha, owners=owners, **delta)
    kind = po.Always() if family is po.TruncatedLaplace else po.ExactBox(eta=0.1)
    policy = po.design(one.program, one.query, noise, kind, domain=one.domain, floor=0.1)
    S = one.query.matrix(one.program)
    half = policy.unit.law.bound
    if not np.isfinite(half):
        half = policy.unit.law.half_width(1 - 0.9 ** (1 / S.shape[0]))
    groups = [[j for j in range(q) if owners[j] == o] for o in (0, 1)]
    known, s = reference_cost(
        one.program, S, lower=lower, upper=upper, alpha=alpha, scale=policy.unit.scale,
        variance=policy.unit.law.variance, half_width=half, order=noise.order, floor=0.1,
        owners=groups,
    )  # fmt: skip
    assert policy.cost == pytest.approx(known, rel=2e-6)
    assert policy.sensitivity == pytest.approx(s, abs=2e-3)
    gain = np.abs(policy.map.gain) * np.minimum(alpha, upper - lower)
    norms = [np.linalg.norm(gain[:, group].sum(axis=1), noise.order) for group in groups]
    assert policy.calibration is not None
    assert policy.calibration.sensitivity >= max(norms)


def test_a_plan_knows_one_alpha() -> None:
    one, _, _ = drawn("5_pjm")
    noise = po.Laplace(epsilon=1.0, alpha=0.1, owners=[0] * len(one.program.private))
    with pytest.raises(po.errors.CombinationError, match="one alpha"):
        po.solve(one.program, one.query, noise, UNIMODAL)
    with pytest.raises(po.errors.CombinationError, match="one alpha"):
        po.input_perturbation(one.program, one.query, noise)
    with pytest.raises(po.errors.CombinationError, match="one alpha"):
        po.output_perturbation(one.program, one.query, noise)
    for search in (po.assess.lower_bound, po.assess.certify):
        with pytest.raises(po.errors.CombinationError, match="one alpha"):
            search(one.program, one.query, noise, po.ExactBox(eta=0.1), domain=one.domain)


@pytest.mark.parametrize(
    ("kind", "noise"),
    [
        (po.ExactBox(eta=0.1), NOISE),
        (po.Always(), po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.1)),
    ],
    ids=["box", "always"],
)
def test_boxes_of_noise(kind: Any, noise: Any) -> None:
    one, lower, upper = drawn("5_pjm", 2)
    policy = po.design(one.program, one.query, noise, kind, domain=one.domain, floor=0.3)
    S = one.query.matrix(one.program)
    half = policy.unit.law.bound
    if not np.isfinite(half):
        half = policy.unit.law.half_width(1 - 0.9 ** (1 / S.shape[0]))
    known, _ = reference_cost(
        one.program, S, lower=lower, upper=upper, alpha=0.1, scale=policy.unit.scale,
        variance=policy.unit.law.variance, half_width=half, floor=0.3,
    )  # fmt: skip
    assert policy.cost == pytest.approx(known, rel=2e-6)


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "noise", "limit"),
    [
        (po.Analytic(eta=0.1), NOISE, 0.1),
        (po.ExactBox(eta=0.1), NOISE, 0.1),
        (po.Joint(eta=0.1, beta=0.01), NOISE, 0.1),
        (po.SampledBox(eta=0.1, beta=0.1), NOISE, 0.1),
        (po.Always(), po.TruncatedLaplace(epsilon=1.0, delta=1e-3, alpha=0.1), 0.0),
    ],
    ids=["rows", "box", "joint", "sampled", "always"],
)
def test_limits_hold_at_the_worst_vertices(kind: Any, noise: Any, limit: float) -> None:
    """False alarms: 20 000 draws, four standard errors, below 1e-4 a row."""
    one = po.experiments.instance("14_ieee", 0)
    policy = po.design(one.program, one.query, noise, kind, domain=one.domain, floor=0.5, rng=0)
    draws = 20_000
    room = 4 * np.sqrt(limit * (1 - limit) / draws)
    for at in ("worst", "random"):
        seen = policy.verify(draws, 1, at=at)
        assert seen.rows.value.max() <= limit + room
        if not isinstance(kind, po.Analytic):
            assert float(seen.violation.value) <= limit + room
        assert float(seen.completion.value) <= float(seen.violation.value)


def test_nothing_private_is_read() -> None:
    class Guarded(po.ConvexProgram):
        @property
        def d(self) -> np.ndarray:
            raise AssertionError("the private data was read")

    given = po.experiments.instance("5_pjm", 0)
    plain = given.program
    parts: dict[str, Any] = {
        "linear": plain.linear, "quadratic": plain.quadratic, "A": plain.A, "b": plain.b,
        "G": plain.G, "lower": plain.lower, "upper": plain.upper, "names": plain.names,
    }  # fmt: skip
    for program in (Guarded(**parts, d=plain.d), po.ConvexProgram(**parts)):
        assert po.design(program, given.query, NOISE, UNIMODAL, domain=given.domain).cost > 0


def test_the_saved_policy_does_not_depend_on_d(tmp_path: Path) -> None:
    files: list[bytes] = []
    for shift in (0.0, 0.3):
        given = po.experiments.instance("5_pjm", 0)
        plain = given.program
        program = po.ConvexProgram(
            linear=plain.linear, quadratic=plain.quadratic, A=plain.A, b=plain.b, G=plain.G,
            d=np.array(plain.d) * (1 + shift), lower=plain.lower, upper=plain.upper,
        )  # fmt: skip
        kind = po.Joint(eta=0.1, beta=0.05)
        policy = po.design(program, given.query, NOISE, kind, domain=given.domain, rng=3)
        policy.save(tmp_path / "policy.json")
        files.append((tmp_path / "policy.json").read_bytes())
    assert files[0] == files[1]


def test_public_entries_of_d_count() -> None:
    """x + y = 1 public, y + w = d private: release w."""

    def made(public: float) -> po.Policy:
        program = po.ConvexProgram(
            quadratic=[1.0, 1.0, 1.0], G=[[1, 1, 0], [0, 1, 1]], d=[public, 9.0], private=[1],
            lower=-10, upper=10,
        )  # fmt: skip
        return po.design(program, po.Identity([2]), NOISE, UNIMODAL, domain=po.Box(0.0, 2.0))

    for public in (1.0, 4.0):
        policy = made(public)
        assert np.asarray(policy.program.G @ policy.offset) == pytest.approx([public, 1.0])
        assert np.asarray(policy.program.G @ policy.gain)[:, 0] == pytest.approx([0.0, 1.0])


def flow() -> tuple[po.ConvexProgram, Any]:
    """A triangle of arcs with node demands that must balance; node c balances."""
    G = np.array([[1.0, 0, -1], [-1, 1, 0], [0, -1, 1]])
    arcs = ["ab", "bc", "ca"]
    program = po.ConvexProgram(
        quadratic=[1.0, 2.0, 1.0], G=G, d=None, lower=-5, upper=5, names=arcs,
        data_names=["a", "b", "c"], private=["a", "b"],
    )  # fmt: skip
    return program, po.Identity(["ab"])


def test_demands_that_balance() -> None:
    program, query = flow()
    with pytest.raises(po.errors.InputError, match="balance"):
        po.design(program, query, NOISE, UNIMODAL, domain=po.Box(-1.0, 1.0))
    policy = po.design(
        program, query, NOISE, UNIMODAL, domain=po.Box(-1.0, 1.0), balance=["c"], floor=0.1
    )
    moved = np.asarray(program.G @ policy.gain)
    assert moved == pytest.approx(np.array([[1.0, 0], [0, 1], [-1, -1]]), abs=1e-9)
    with pytest.raises(po.errors.InputError, match="private and balances"):
        po.design(program, query, NOISE, UNIMODAL, domain=po.Box(-1.0, 1.0), balance=["a"])


def test_fidelity_buys_distance_with_cost() -> None:
    one = po.experiments.instance("14_ieee", 0)
    policies = [
        po.design(one.program, one.query, NOISE, UNIMODAL, domain=one.domain, fidelity=weight)
        for weight in (0.0, 1.0, 100.0)
    ]
    distances, costs = [p.distance for p in policies], [p.cost for p in policies]
    assert distances == sorted(distances, reverse=True)
    assert distances[2] < 0.8 * distances[0]
    assert costs == sorted(costs)


def test_a_domain_whose_corner_leaves_no_room_has_its_constants() -> None:
    """5_pjm without load supplies nothing: no row has room there, and no noise fits.

    By the vertices of the domain, the policy of least cost is a linear program.
    """
    network = po.networks.load("5_pjm")
    program = network.program()
    top = 0.3 * np.array(program.d)
    moving = np.flatnonzero(top)
    G, A = program.equalities.matrix.toarray(), program.rows.matrix.toarray()
    middle, follow = program.equalities.bound.copy(), np.zeros((G.shape[0], len(moving)))
    middle[: len(top)], follow[moving, np.arange(len(moving))] = 0.5 * top, 0.5 * top[moving]
    noise = po.Laplace(epsilon=1.0, alpha=1 / network.base_mva)
    for names in (["p[3]", "p[5]"], ["p[1,1]", "p[3]"], ["p[4]", "p[5]"]):
        for kind in (UNIMODAL, po.ExactBox(eta=0.05)):
            policy = po.design(
                program, po.Identity(names), noise, kind, domain=po.Box(0 * top, top)
            )
            S = policy.S.toarray()
            z, K = cp.Variable(program.n), cp.Variable((program.n, len(moving)))
            rows = [
                A @ (z + K @ np.array(vertex)) <= program.rows.bound
                for vertex in itertools.product((-1.0, 1.0), repeat=len(moving))
            ]
            kept = [G @ z - middle == 0, G @ K - follow == 0, S @ K == 0, *rows]
            model = cp.Problem(cp.Minimize(program.linear @ z), kept)
            model.solve(solver=cp.HIGHS)
            assert policy.calibration is None
            assert policy.cost == pytest.approx(model.value, rel=1e-6)
            assert policy.residual <= 1e-8


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "top", "cost"), [("5_pjm", 1.5, 5.551078), ("14_ieee", 1, 12.0792)]
)
def test_the_papers_instances_from_no_load_at_all(name: str, top: float, cost: float) -> None:
    """The costs are those of a plain CVXPY model of the constants."""
    one = po.experiments.instance(name, 0)
    policy = po.design(one.program, one.query, NOISE, UNIMODAL, domain=po.Box(0.0, top))
    assert policy.calibration is None
    assert policy.cost == pytest.approx(cost, rel=1e-6)


def test_a_constant_says_so_and_costs_no_privacy() -> None:
    one = po.experiments.instance("14_ieee", 1)
    policy = po.design(one.program, one.query, NOISE, UNIMODAL, domain=one.domain)
    assert policy.calibration is None
    assert policy.sensitivity == 0
    assert "CONSTANT" in repr(policy)
    for way in ("floor", "fidelity", "within"):
        assert way in repr(policy)
    first, second = policy.release(one.program.d), policy.release(1 - np.array(one.program.d))
    assert (first.values == second.values).all()
    assert first.epsilon == 0


def test_a_prior_of_draws() -> None:
    one, lower, upper = drawn("5_pjm", 0)
    rng = np.random.default_rng(0)
    prior = lower + (upper - lower) * rng.beta(2, 6, size=(300, len(lower)))
    policy = po.design(
        one.program, one.query, NOISE, UNIMODAL, domain=one.domain, prior=prior, floor=0.2
    )
    expected = policy.offset + policy.gain @ (prior.mean(axis=0) - 0.5 * (lower + upper))
    moved = np.einsum("ij,ij->j", policy.gain, one.program.quadratic @ policy.gain)
    known = one.program.cost(expected) + float(moved @ prior.var(axis=0))
    noise = policy.unit.deviation**2 * policy.recourse.energy(one.program.quadratic)
    assert policy.cost == pytest.approx(known + noise, rel=1e-9)
    with pytest.raises(po.errors.InputError, match="prior"):
        po.design(one.program, one.query, NOISE, UNIMODAL, domain=one.domain, prior=prior + 10)


def test_refusals() -> None:
    one = po.experiments.instance("5_pjm", 0)
    asked: dict[str, Any] = {"domain": one.domain}
    noise = po.Laplace(epsilon=1.0, alpha=0.1, sensitivity=po.Assumed(2.0))
    with pytest.raises(po.errors.CombinationError, match="sensitivity"):
        po.design(one.program, one.query, noise, UNIMODAL, **asked)
    with pytest.raises(po.errors.CombinationError, match="unbounded noise"):
        po.design(one.program, one.query, NOISE, po.Always(), **asked)
    with pytest.raises(po.errors.InputError, match="domain"):
        po.design(one.program, one.query, NOISE, UNIMODAL, domain=(0, 1))  # type: ignore[arg-type]
    with pytest.raises(po.errors.InfeasibleError, match="domain"):
        po.design(one.program, one.query, NOISE, UNIMODAL, domain=po.Box(0.5, 1.0), floor=100.0)
    with pytest.raises(po.errors.InputError, match="floor"):
        po.design(one.program, one.query, NOISE, UNIMODAL, **asked, floor=-1.0)
    with pytest.raises(po.errors.NotImplementableError):
        po.design(
            po.ConvexProgram(G=[[1.0, 1.0], [1.0, -1.0]], d=None), po.Identity([0]), NOISE,
            UNIMODAL, domain=po.Box(0.0, 1.0),
        )  # fmt: skip
