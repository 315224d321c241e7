"""What is said of how a release is counted: a ledger that begins, a replay, a missing key, none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.app.writing import toml
from tests.cli.running import TREE, run

JOB = ("release", "job.toml")
AGAIN = "the same command again is charged again"
BEGINS = "There is no ledger at"


def said(*words: str, code: int = 0) -> str:
    return " ".join(run(*JOB, *words, code=code).stderr.split())


@pytest.fixture
def there(folder: Path) -> Path:
    (folder / "job.toml").write_text(toml(TREE | {"domain": {"lower": 5.0, "upper": 7.0}}))
    return folder


def test_a_ledger_that_begins_is_told_before_its_first_charge_and_never_again(there: Path) -> None:
    words = ("--ledger", "x.ledger", "--limit", "3", "--out", "a.json")
    assert BEGINS in said(*words)
    assert (there / "x.ledger").exists()
    second = said(*words[:-1], "b.json")
    assert BEGINS not in second
    assert AGAIN in second  # there was no key
    (there / "x.ledger").rename(there / "moved.ledger")
    assert "if yours was moved, name its place" in said(*words[:-1], "c.json")


def test_without_a_limit_no_ledger_begins(there: Path) -> None:
    text = said("--ledger", "x.ledger", "--out", "a.json", code=2)
    assert BEGINS not in text
    assert "name its place, if it was moved" in text
    assert not (there / "x.ledger").exists()


def test_with_a_key_it_is_replayed_and_the_given_data_are_not_in_it(there: Path) -> None:
    words = ("--ledger", "x.ledger", "--limit", "3", "--key", "may", "--out", "a.json")
    assert AGAIN not in said(*words)
    again = said(*words)
    assert "Replayed from row" in again
    assert "The data that were given now are not in them." in again


def test_what_no_ledger_counts_is_warned_of(there: Path) -> None:
    assert "No ledger counted this release" in said("--no-ledger", "--out", "a.json")
