"""Who is protected, in words: each relation by the sentence that a reader gets."""

from __future__ import annotations

import pytest

from privopt.noise.neighbours import Neighbours
from privopt.noise.relation_words import words

SENTENCES = {
    (0.1, 0.1, 1, "each"): "data that differ in one private entry by at most 0.1",
    (
        0.2,
        0.1,
        1,
        "each",
    ): "data that differ in one private entry by at most its alpha (0.1 to 0.2)",
    (0.1, 0.1, 3, "each"): "data that differ in the private entries of one owner (at most 3), each "
    "by at most 0.1",
    (0.1, 0.1, 0, "total"): "data that differ in any private entries, in total by at most 0.1",
}


@pytest.mark.parametrize("given", SENTENCES)
def test_each_relation_has_its_sentence(given: tuple[float, float, int, str]) -> None:
    alpha, least, together, change = given
    assert (
        words(alpha, least, together, "total" if change == "total" else "each") == SENTENCES[given]
    )


def test_entries_that_are_not_protected_are_named() -> None:
    assert "alpha 0 is not protected" in words(0.1, 0.0, 1, "each")
    assert "add up to at most 1" in words(0.2, 0.1, 2, "total")


def test_a_relation_speaks_for_itself() -> None:
    assert Neighbours(0.1).hidden == "a change of one private entry by 0.1"
    other = Neighbours.of(0.1, ("a", "a", "b"), "each")
    assert other.words == words(0.1, 0.1, 2, "each")
    assert other.hidden == f"which of two: {other.words}"
