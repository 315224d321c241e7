"""Who is protected, in words: each relation has its own sentence."""

from __future__ import annotations

from privopt.noise.neighbours import Neighbours


def test_words_of_a_relation() -> None:
    """What they say is checked against the relation itself in tests/certified/test_owners.py."""
    said = {
        Neighbours(0.1): "data that differ in one private entry by at most 0.1",
        Neighbours((0.1, 0.2)): "in one private entry by at most its alpha (0.1 to 0.2)",
        Neighbours(0.1, (0, 0, 1)): "entries of one owner (at most 2), each by at most 0.1",
        Neighbours(0.1, (0, 0, 1), "total"): "of one owner (at most 2), in total by at most 0.1",
        Neighbours(0.1, None, "total"): "data that differ in any private entries, in total by at",
        Neighbours((0.0, 0.2)): "its alpha (0 to 0.2; an entry of alpha 0 is not protected)",
        Neighbours((0.1, 0.2, 0.2), (0, 0, 1), "total"): "each as a part of its alpha (0.1 to 0.2)",
    }
    for relation, words in said.items():
        assert words in relation.words


def test_what_is_hidden() -> None:
    assert Neighbours(0.1).hidden() == "a change of one private entry by 0.1"
    assert Neighbours(0.1).hidden("MW") == "a change of one private entry by 0.1 MW"
    assert Neighbours(0.1, (0, 0)).hidden().endswith(Neighbours(0.1, (0, 0)).words)
    assert Neighbours(0.1, (0, 0)).hidden("MW").endswith("each by at most 0.1 MW")
