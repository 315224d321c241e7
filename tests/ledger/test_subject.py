"""One ledger, one dataset, one alpha, one private set: what is open is settled once, and kept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ledger.requests import request

from privopt.errors import InputError, LedgerError
from privopt.ledger.request import private_set, relation_of
from privopt.ledger.subject import Subject, check_subject
from privopt.noise.neighbours import Neighbours

BOTH, OTHER = private_set(["north", "south"]), private_set(["north"])
WHOLE = Subject("loads", 0.1, BOTH)


def test_it_reads_back_what_it_wrote() -> None:
    for subject in (WHOLE, Subject("", None, None), Subject("ä\n'", 1e-300, None)):
        assert Subject.read(subject.text) == subject


@pytest.mark.parametrize(
    "change",
    [{"alpha": 0}, {"alpha": "0.1"}, {"alpha": True}, {"private": "2"}, {"dataset": 3},
     {"dataset": "x" * 1001}, {"more": 1}],
)  # fmt: skip
def test_what_no_ledger_writes_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="no subject"):
        Subject.read(json.dumps(json.loads(WHOLE.text) | change))
    for text in ("", "[]", "null", "[" * 100_000):
        with pytest.raises(InputError, match="no subject"):
            Subject.read(text)


def test_the_first_charge_settles_what_is_open_and_nothing_else() -> None:
    asked = request(alpha=0.5, private=OTHER)
    assert Subject("loads", None, None).settled(asked) == Subject("loads", 0.5, OTHER)
    assert Subject("loads", 0.1, None).settled(asked) == Subject("loads", 0.1, OTHER)
    assert WHOLE.settled(asked) == WHOLE


def test_what_neighbours_are_in_words() -> None:
    assert WHOLE.entries == 2
    assert WHOLE.neighbours == "one of 2 private entries differs by at most 0.1"
    assert "first release" in Subject("loads", None, None).neighbours


@pytest.mark.parametrize(
    ("asked", "says"),
    [({"dataset": "rates"}, "dataset"), ({"alpha": 0.1000001}, "alpha is 0.1000001"),
     ({"private": OTHER}, "private set")],
)  # fmt: skip
def test_another_dataset_alpha_or_set_is_refused(asked: dict[str, Any], says: str) -> None:
    given = {"dataset": None, "alpha": None, "private": None}
    with pytest.raises(LedgerError, match=says):
        check_subject(WHOLE, **given | asked)
    check_subject(WHOLE, **given)
    check_subject(WHOLE, dataset="loads", alpha=0.1, private=BOTH)
    check_subject(Subject("loads", None, None), dataset=None, alpha=9.0, private=OTHER)


OWNERS = relation_of(Neighbours(0.1, (0, 0)), ["north", "south"])
TOTAL = relation_of(Neighbours(0.1, None, "total"), ["north", "south"])


def test_the_text_of_a_plain_subject_is_as_it_was() -> None:
    assert WHOLE.text == f'{{"alpha":0.1,"dataset":"loads","private":"{BOTH}"}}'


def test_owners_are_settled_with_alpha_and_kept() -> None:
    asked = request(alpha=0.1, private=BOTH, relation=OWNERS)
    settled = Subject("loads", None, None).settled(asked)
    assert settled == Subject("loads", 0.1, BOTH, OWNERS) == Subject.read(settled.text)
    assert "of one owner (at most 2), each by at most 0.1" in settled.neighbours
    assert "2 entries are private" in settled.neighbours
    # An alpha that the curator gave is of one entry.
    assert Subject("loads", 0.1, None).settled(asked).relation == ""
    with pytest.raises(InputError, match="no subject"):
        Subject.read(json.dumps(json.loads(settled.text) | {"relation": "each:2"}))


@pytest.mark.parametrize(
    ("mine", "yours"), [("", OWNERS), (OWNERS, ""), (OWNERS, TOTAL), (TOTAL, OWNERS)]
)
def test_another_relation_is_refused(mine: str, yours: str) -> None:
    held = Subject("loads", 0.1, BOTH, yours)
    check_subject(held, dataset=None, alpha=0.1, private=BOTH, relation=yours)
    check_subject(held, dataset="loads", alpha=None, private=None)
    with pytest.raises(LedgerError, match="epsilons for different neighbours do not add up"):
        check_subject(held, dataset=None, alpha=0.1, private=BOTH, relation=mine)


def test_other_owners_that_sound_the_same_are_told_apart() -> None:
    names = ["a", "b", "c"]
    one, other = (relation_of(Neighbours(0.1, o), names) for o in ((0, 0, 1), (0, 1, 1)))
    held = Subject("loads", 0.1, BOTH, one)
    with pytest.raises(LedgerError, match="of other owners or alphas"):
        check_subject(held, dataset=None, alpha=0.1, private=BOTH, relation=other)
