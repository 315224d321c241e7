"""Planted bugs of solving."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

__all__ = ["PLANTED"]

PLANTED: tuple[Mutant, ...] = (
    Mutant(
        "a matrix goes to SuperLU without its whole diagonal",
        "conic/factor.py",
        "    if not len(missing):",
        "    if len(missing) >= 0:",
        "tests/conic/test_factor.py::test_exactly_singular_matrices_are_an_error",
    ),
)
