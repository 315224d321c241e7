"""Planted bugs of solving."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

__all__ = ["PLANTED"]

PLANTED: tuple[Mutant, ...] = (
    Mutant(
        "equalities that follow from others are all kept",
        "conic/rank.py",
        "RANK = 1e-11",
        "RANK = 1e-30",
        "tests/conic/test_rank.py::test_nearly_is_not_dependent",
    ),
    Mutant(
        "rounding divided by its own size is a condition on the recourse",
        "conic/space.py",
        "        kept = size > _MOVES * added\n",
        "        kept = size > 0\n",
        "tests/conic/test_space.py::test_an_equality_that_follows_is_no_further_condition",
    ),
    Mutant(
        "a matrix goes to SuperLU without its whole diagonal",
        "conic/factor.py",
        "    if not len(missing):",
        "    if len(missing) >= 0:",
        "tests/conic/test_factor.py::test_exactly_singular_matrices_are_an_error",
    ),
)
