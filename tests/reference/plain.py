"""The program as a CVXPY user would write it: slow, plain, independent of privopt."""

import itertools
import warnings
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike, NDArray

ObjectiveName = Literal["expected", "cost", "solution", "published"]
Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class PlainResult:
    """Optimum: expected `cost` c1'z + z'C2 z + sigma^2 tr(Z'C2 Z), `objective` value, z, Z."""

    cost: float
    objective: float
    z: Vector
    Z: Matrix


class Program(TypedDict):
    """min c1'z + z'C2 z subject to A z <= b, G z = d, with the query S Z = I."""

    c1: Vector
    C2: Matrix
    A: Matrix
    b: Vector
    G: Matrix
    d: Vector
    S: Matrix


def solve_tightly(problem: cp.Problem) -> float:
    """Return the optimal value; Clarabel at tolerance 1e-10, else 1e-9, else 1e-8.

    Only the status "optimal" at the tolerance asked for counts; RuntimeError otherwise.
    """
    status = "not solved"
    for tolerance in (1e-10, 1e-9, 1e-8):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "may be inaccurate": the status says so too
            try:
                problem.solve(
                    solver=cp.CLARABEL,
                    tol_gap_abs=tolerance,
                    tol_gap_rel=tolerance,
                    tol_feas=tolerance,
                    max_iter=200,
                )
                status = str(problem.status)
            except cp.SolverError as error:
                status = f"solver error: {error}"
        if status == cp.OPTIMAL:
            return float(np.asarray(problem.value).item())
        if status in (cp.INFEASIBLE, cp.UNBOUNDED):
            break
    raise RuntimeError(f"The reference model has no optimum: {status}.")


def square_root(C2: Matrix) -> Matrix:
    """Return F with F'F = C2, one row per positive eigenvalue (at least one row)."""
    values, vectors = np.linalg.eigh(C2)
    keep = values > 1e-12 * max(1.0, float(values[-1]))
    keep[-1] = True
    return np.sqrt(np.maximum(values[keep], 0.0))[:, None] * vectors[:, keep].T


def expected_cost(c1: Vector, C2: Matrix, z: Vector, Z: Matrix, sigma: float) -> float:
    """c1'z + z'C2 z + sigma^2 tr(Z'C2 Z)."""
    return float(c1 @ z + z @ C2 @ z + sigma**2 * np.trace(Z.T @ C2 @ Z))


def plain_model(
    c1: Vector,
    C2: Matrix,
    A: Matrix,
    b: Vector,
    G: Matrix,
    d: Vector,
    S: Matrix,
    *,
    sigma: float,
    factors: ArrayLike | None = None,
    box: tuple[ArrayLike, ArrayLike] | None = None,
    scenarios: ArrayLike | None = None,
    objective: ObjectiveName = "expected",
    phi: float = 0.0,
) -> PlainResult:
    """Minimise the objective over z, Z with G z = d, G Z = 0, S Z = I and robust rows.

    Exactly one kind of row, for every i and with a = A_i Z:

    - `factors` (m): A_i z + factors_i sigma ||a||_2 <= b_i;
    - `box` (lo, hi): A_i z + sum_j max(a_j lo_j, a_j hi_j) <= b_i;
    - `scenarios` (N x p): A_i z + a xi_s <= b_i for every s.

    With E the expected cost c1'z + z'C2 z + sigma^2 tr(Z'C2 Z), the objective is

    - "expected": E (phi is not used);
    - "cost": (1 - phi) E + phi sigma ||Z'c1||_2;
    - "solution": (1 - phi) E + phi sigma ||Z||_F;
    - "published": (1 - phi) E + phi sigma ||Z 1||_2.
    """
    if sum(kind is not None for kind in (factors, box, scenarios)) != 1:
        raise ValueError("Give exactly one of factors, box and scenarios.")
    n, p = A.shape[1], S.shape[0]
    z, Z = cp.Variable(n), cp.Variable((n, p))
    constraints: list[Any] = [S @ Z - np.eye(p) == 0]
    if len(G):
        constraints += [G @ z == d, G @ Z == 0]

    if factors is not None:
        margin = cp.multiply(sigma * np.asarray(factors), cp.norm(A @ Z, 2, axis=1))
        constraints.append(A @ z + margin <= b)
    elif box is not None:
        lo, hi = np.asarray(box[0]), np.asarray(box[1])
        worst = cp.maximum(A @ Z @ np.diag(lo), A @ Z @ np.diag(hi))
        constraints.append(A @ z + cp.sum(worst, axis=1) <= b)
    else:
        xi = np.asarray(scenarios)
        ones = np.ones((1, len(xi)))
        nominal = cp.reshape(A @ z, (len(A), 1), order="C") @ ones
        constraints.append(nominal + A @ Z @ xi.T <= b[:, None] @ ones)

    F = square_root(C2)
    target = c1 @ z + cp.sum_squares(F @ z) + sigma**2 * cp.sum_squares(F @ Z)
    if objective != "expected":
        spread = {
            "cost": cp.norm(Z.T @ c1, 2),
            "solution": cp.norm(Z, "fro"),
            "published": cp.norm(Z @ np.ones(p), 2),
        }[objective]
        target = (1 - phi) * target + phi * sigma * spread

    value = solve_tightly(cp.Problem(cp.Minimize(target), constraints))
    z_opt, Z_opt = np.asarray(z.value), np.asarray(Z.value)
    return PlainResult(expected_cost(c1, C2, z_opt, Z_opt, sigma), value, z_opt, Z_opt)


def vertices_model(
    c1: Vector,
    C2: Matrix,
    A: Matrix,
    b: Vector,
    G: Matrix,
    d: Vector,
    S: Matrix,
    *,
    sigma: float,
    box: tuple[ArrayLike, ArrayLike],
    objective: ObjectiveName = "expected",
    phi: float = 0.0,
) -> PlainResult:
    """A_i (z + Z v) <= b_i at each of the 2^p vertices v of the box; p <= 6."""
    lo, hi = np.asarray(box[0], dtype=np.float64), np.asarray(box[1], dtype=np.float64)
    if len(lo) > 6:
        raise ValueError(f"Got {len(lo)} noise dimensions; enumerating vertices is for at most 6.")
    vertices = np.array(list(itertools.product(*zip(lo, hi, strict=True))))
    return plain_model(
        c1, C2, A, b, G, d, S, sigma=sigma, scenarios=vertices, objective=objective, phi=phi
    )


def random_program(
    seed: int,
    n: int = 8,
    equalities: int = 3,
    rows: int = 12,
    p: int = 2,
    quadratic: bool = True,
) -> Program:
    """b_i = A_i z0 + u_i + ||A_i Z0||_2, d = G z0, for known z0 and Z0, u_i in [0.5, 1.5].

    A has `rows` dense unit rows, then z <= upper and -z <= -lower (2n rows), so the feasible set
    is bounded. S picks p coordinates and Z0 is the least-norm solution of [G; S] Z = [0; I].
    (z0, Z0) is feasible, strictly, whenever factor * sigma <= 1, and for every noise value with
    ||xi||_2 <= 1 (so for boxes and scenarios inside the unit ball).
    """
    if equalities + p > n:
        raise ValueError(f"Got {equalities} + {p} rows in [G; S] for {n} variables; need <= {n}.")
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(equalities, n))
    while True:
        S = np.eye(n)[np.sort(rng.choice(n, size=p, replace=False))]
        if np.linalg.cond(np.vstack([G, S])) < 1e3:
            break
    Z0 = np.linalg.pinv(np.vstack([G, S]))[:, equalities:]
    z0 = rng.normal(size=n)
    dense = rng.normal(size=(rows, n))
    dense /= np.linalg.norm(dense, axis=1, keepdims=True)
    A = np.vstack([dense, np.eye(n), -np.eye(n)])
    b = A @ z0 + rng.uniform(0.5, 1.5, size=len(A)) + np.linalg.norm(A @ Z0, axis=1)
    M = rng.normal(size=(n, n))
    C2 = 0.2 * M @ M.T / n if quadratic else np.zeros((n, n))
    return Program(c1=rng.normal(size=n), C2=C2, A=A, b=b, G=G, d=G @ z0, S=S)
