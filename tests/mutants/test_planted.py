"""The list of planted bugs keeps up with the code: each can still be planted."""

from __future__ import annotations

import ast

import pytest
from tests.mutants.__main__ import ROOT, source_of
from tests.mutants.mutant import Mutant
from tests.mutants.planted import PLANTED


@pytest.mark.parametrize("mutant", PLANTED, ids=lambda mutant: mutant.name)
def test_each_bug_can_be_planted_and_its_test_is_there(mutant: Mutant) -> None:
    planted = source_of(mutant)
    if mutant.file.endswith(".py"):
        ast.parse(planted)
    path, _, name = mutant.test.partition("::")
    assert f"def {name}" in (ROOT / path).read_text(encoding="utf-8")


def test_there_are_enough_of_them_and_no_two_are_the_same() -> None:
    assert len({mutant.name for mutant in PLANTED}) == len(PLANTED) >= 20
