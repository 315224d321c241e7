"""Factorisation of matrices that are exactly singular: an error, never a dead interpreter."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import privopt
from privopt.solving.factor import factored

SINGULAR = """
import numpy as np, scipy.sparse as sp
from privopt.solving.factor import factored
singular = 0
for seed in range(600):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40)); k = int(rng.integers(1, max(2, n // 2)))
    C = np.zeros((k, n))
    for i in range(k):
        at = rng.choice(n, int(rng.integers(2, min(6, n))), replace=False)
        C[i, at] = rng.choice([-1.0, 1.0, 0.5, 2.0], len(at))
    H = np.diag(np.where(rng.random(n) < 0.4, rng.integers(1, 3, n), 0)).astype(float)
    M = sp.csc_array(np.block([[H, C.T], [C, np.zeros((k, k))]]))
    try:
        factored(M, symmetric=bool(seed % 2), pivot=(1.0, 0.01)[seed % 3 > 0])
    except np.linalg.LinAlgError:
        singular += 1
print(singular)
"""

FLAT = """
import numpy as np, privopt as po
for seed in range(40):
    rng = np.random.default_rng(seed)
    n, k, p = int(rng.integers(8, 20)), 3, 2
    G = np.zeros((k, n))
    for i in range(k):
        at = rng.choice(n, 4, replace=False)
        G[i, at] = rng.choice([-1.0, 1.0, 0.5, 2.0], len(at))
    if np.linalg.matrix_rank(G) < k:
        continue
    z = rng.uniform(1, 2, n)
    S = rng.normal(size=(p, n))
    linear = rng.uniform(1, 3, n) * (rng.random(n) < 0.3)
    quadratic = rng.uniform(0.1, 1, n) * (rng.random(n) < 0.4) if seed % 2 else None
    program = po.ConvexProgram(
        linear=linear, quadratic=quadratic, G=G, d=G @ z,
        A=np.vstack([np.eye(n), -np.eye(n)]), b=np.r_[np.full(n, 4.0), np.zeros(n)],
    )
    try:
        po.solve(program, po.Linear(S), po.Laplace(epsilon=1, alpha=0.002), po.ExactBox(eta=0.1))
    except (po.errors.InfeasibleError, po.errors.NotImplementableError):
        pass
print("alive")
"""


def perturbed(code: str) -> str:
    """What a fresh interpreter prints where freed memory is overwritten."""
    source = str(Path(privopt.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "MALLOC_PERTURB_": "165", "PYTHONPATH": source, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_exactly_singular_matrices_are_an_error() -> None:
    assert int(perturbed(SINGULAR)) > 500


@pytest.mark.long
def test_programs_with_flat_costs_do_not_end_the_interpreter() -> None:
    assert perturbed(FLAT) == "alive"


@pytest.mark.parametrize("symmetric", [True, False])
def test_solves_are_those_of_the_matrix(symmetric: bool) -> None:
    rng = np.random.default_rng(0)
    M = np.where(rng.random((20, 20)) < 0.3, rng.normal(size=(20, 20)), 0.0)
    M = M + M.T + np.diag(np.r_[np.full(10, 9.0), np.zeros(10)])
    right = rng.normal(size=20)
    assert factored(sp.csc_array(M), symmetric=symmetric).solve(right) == pytest.approx(
        np.linalg.solve(M, right)
    )


def test_nothing_else_factors_sparse_matrices() -> None:
    """SuperLU is called in one place, which knows what it cannot bear."""
    source = Path(privopt.__file__).parent
    pattern = re.compile(r"\b(splu|spilu|factorized|spsolve)\b")
    found = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if pattern.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"solving/factor.py"}


@pytest.mark.parametrize("columns", [None, 2])
def test_a_dense_matrix_is_solved_with_too(columns: int | None) -> None:
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(5, 5))
    x = rng.normal(size=5 if columns is None else (5, columns))
    kept = matrix.copy()
    assert factored(matrix).solve(matrix @ x) == pytest.approx(x)
    assert (matrix == kept).all()
    with pytest.raises(np.linalg.LinAlgError):
        factored(np.zeros((2, 2)))
