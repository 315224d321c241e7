"""Releases through a ledger: charged before the data is read, replayed under their key."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.kernel.loads import D, noise, plan, program

import privopt as po
from privopt.errors import BudgetExceededError, BurntError, InputError, KeyUsedError, LedgerError
from privopt.kernel import wire
from privopt.kernel.instrument import Instrument

Release = Callable[[po.Ledger | None, str | None], po.Release]


@cache
def instrument(epsilon: float = 0.1) -> Instrument:
    return Instrument(
        {"total": ["load", "reserve"]},
        program=program(None),
        privacy=noise(epsilon),
        domain=po.Box([2.5, 0.5], [3.5, 1.5]),
    )


def measured(
    d: Any = D, ledger: po.Ledger | None = None, key: str | None = None, *, epsilon: float = 0.1
) -> po.Release:
    release = instrument(epsilon).measure(d, ledger, key).release
    assert release is not None
    return release


NAMES = ["plan", "measurement", "output perturbation", "input perturbation"]


def mechanisms(epsilon: float = 0.1) -> dict[str, Release]:
    outer = po.output_perturbation(program(), po.Identity([0]), noise(epsilon))
    inner = po.input_perturbation(program(), po.Identity([0]), noise(epsilon))
    return {
        "plan": lambda ledger, key: plan(epsilon).release(ledger, key),
        "measurement": lambda ledger, key: measured(D, ledger, key, epsilon=epsilon),
        "output perturbation": lambda ledger, key: outer.release(ledger, key),
        "input perturbation": lambda ledger, key: inner.release(ledger, key),
    }


@pytest.fixture
def ledger(tmp_path: Path) -> po.Ledger:
    return po.Ledger(tmp_path / "loads.ledger", limit=po.Budget(1.0))


@pytest.mark.parametrize("name", NAMES)
def test_every_mechanism_is_charged_and_replayed(ledger: po.Ledger, name: str) -> None:
    release = mechanisms()[name]
    first = release(ledger, "may")
    assert ledger.spent == po.Budget("0.1")
    assert first.ledger is not None
    assert (first.ledger.dataset, first.ledger.row, first.ledger.epsilon) == ("loads", 2, "0.1")
    assert release(ledger, "may") == first
    assert release(ledger, None) != first
    assert ledger.spent == po.Budget("0.2")
    assert release(None, None).ledger is None
    (event, _) = [event for event in ledger.events if event.kind == "charge"]
    assert event.request is not None
    assert event.request.mechanism == name
    assert event.request.provenance == first.guarantee.privacy.provenance.value
    assert event.request.scale > 0


def test_ten_releases_of_a_tenth_fit_one_and_an_eleventh_does_not(ledger: po.Ledger) -> None:
    for _ in range(10):
        measured(D, ledger, epsilon=0.1)
    assert ledger.spent == ledger.limit == po.Budget(1)
    with pytest.raises(BudgetExceededError, match="Nothing was charged"):
        measured(D, ledger, epsilon=0.0001)
    with pytest.raises(BudgetExceededError):
        plan(0.0001).release(ledger)
    assert len([event for event in ledger.events if event.kind == "charge"]) == 10


class Watched:
    """Data that note what was spent when they are read."""

    def __init__(self, ledger: po.Ledger, values: Any = D) -> None:
        self.ledger, self.values, self.spent = ledger, values, list[po.Budget]()

    def __len__(self) -> int:
        return len(D)

    def __array__(self, *_: Any, **__: Any) -> Any:
        self.spent.append(self.ledger.spent)
        return np.array(self.values)


def test_d_is_read_after_the_charge_and_never_if_it_is_refused(ledger: po.Ledger) -> None:
    data = Watched(ledger)
    measured(data, ledger, "a", epsilon=0.6)
    assert set(data.spent) == {po.Budget("0.6")}
    unread = Watched(ledger)
    measured(unread, ledger, "a", epsilon=0.6)  # a replay
    with pytest.raises(BudgetExceededError):
        measured(unread, ledger, "b", epsilon=0.6)
    with pytest.raises(KeyUsedError, match="epsilon"):
        measured(unread, ledger, "a", epsilon=0.1)
    assert unread.spent == []


def test_data_that_cannot_be_read_burn_their_charge(ledger: po.Ledger) -> None:
    with pytest.raises(InputError, match="finite") as caught:
        measured([np.nan, 1.0], ledger, "a")
    assert "stays" in "".join(caught.value.__notes__)
    assert ledger.spent == po.Budget("0.1")
    with pytest.raises(BurntError):
        measured(D, ledger, "a")
    assert measured(D, ledger, "a again").ledger is not None


def test_a_wrong_length_or_label_is_refused_before_the_charge(ledger: po.Ledger) -> None:
    import pandas as pd

    for bad in ([1.0], np.zeros(3), pd.Series(D, index=["load", "other"])):
        with pytest.raises(InputError):
            measured(bad, ledger)
    assert ledger.spent == po.Budget(0)
    measured(pd.Series(D[::-1], index=["reserve", "load"]), ledger)


def test_one_number_is_enough_where_one_entry_is_asked_for() -> None:
    program = po.ConvexProgram(quadratic=[1, 1], G=[[1, 1]], lower=0, upper=9)
    one = Instrument([[1.0]], program=program, privacy=noise(), domain=po.Box(2.0, 3.0))
    for d in (2.5, [2.5], np.array(2.5), np.array([2.5])):
        assert abs(one.measure(d).values[0] - 2.5) < 0.1


def test_one_alpha_and_one_private_set(ledger: po.Ledger) -> None:
    measured(D, ledger)
    for other in (
        po.output_perturbation(program(), po.Identity([0]), po.Laplace(epsilon=0.1, alpha=0.02)),
        po.output_perturbation(program(private=["load"]), po.Identity([0]), noise()),
    ):
        with pytest.raises(LedgerError, match="alpha|private set"):
            other.release(ledger)


def test_a_release_says_who_counted_it(ledger: po.Ledger, tmp_path: Path) -> None:
    alone, counted = measured(D), measured(D, ledger)
    assert "in no ledger" in repr(alone)
    assert "no budget was charged" in " ".join(alone.summary().split())
    assert "no budget was charged" in alone._repr_html_()
    assert json.loads(wire.text(alone))["ledger"] is None
    assert "row 2" in repr(counted)
    assert "ledger of 'loads'" in " ".join(counted.summary().split())
    assert counted.ledger is not None
    assert counted.ledger.digest == next(iter(_rows(ledger, 2)))
    counted.save(tmp_path / "release.json")
    assert po.Release.load(tmp_path / "release.json") == counted


def _rows(ledger: po.Ledger, row: int) -> list[str]:
    found, _ = ledger.find(row)
    return [] if found is None else [found.digest.hex()]


@pytest.mark.parametrize(
    "entry", [{}, {"row": 1}, [], "loads", {"dataset": "x", "row": "1"}, 7, {"other": 1}]
)
def test_a_damaged_entry_is_refused(tmp_path: Path, entry: Any) -> None:
    data = json.loads(wire.text(measured(D))) | {"ledger": entry}
    (tmp_path / "bad").write_text(json.dumps(data))
    with pytest.raises(InputError, match="not a whole release"):
        po.Release.load(tmp_path / "bad")


def test_bad_arguments(ledger: po.Ledger) -> None:
    with pytest.raises(InputError, match="without a ledger"):
        measured(D, key="a")
    for bad in (str(ledger.path), 1, object()):
        with pytest.raises(InputError, match="ledger is a"):
            plan().release(bad)
    for key in ("", 7, "a\nb", "k" * 201):
        with pytest.raises(InputError, match="key"):
            plan().release(ledger, key)
    assert ledger.spent == po.Budget(0)


def test_the_charge_is_what_was_asked_unless_the_noise_costs_more(ledger: po.Ledger) -> None:
    request = instrument(0.1).kernel.request()
    assert request.own_epsilon is not None
    assert request.own_epsilon <= 0.1
    assert request.charge == po.Budget("0.1")
    dearer = dataclasses.replace(request, own_epsilon=0.1000001)
    ledger.charge(dearer, lambda _: b"")
    assert ledger.spent.exact[0] > po.Budget("0.1").exact[0]


def test_the_date_is_that_of_the_charge(ledger: po.Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it takes to make: that may depend on d."""
    times = iter(["2026-06-02T10:00:00Z", "2026-06-02T11:00:00Z", "2026-06-02T12:00:00Z"])
    monkeypatch.setattr("privopt.ledger.ledger.now", lambda: next(times))
    release = measured(D, ledger, "may")
    (charge,) = [event for event in ledger.events if event.kind == "charge"]
    assert release.date == charge.time == "2026-06-02T10:00:00Z"
    assert measured(D, ledger, "may").date == release.date  # replayed
    assert "date" not in release.to_dict()["ledger"]


@pytest.mark.parametrize("name", NAMES)
def test_a_release_has_the_time_before_d_is_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def now() -> str:
        asked.append(f"2026-05-01T10:00:0{len(asked)}Z")
        return asked[-1]

    monkeypatch.setattr("privopt.kernel.releasing.now", now)
    release = mechanisms()[name](None, None)
    assert (release.date, len(asked)) == (asked[0], 1)


@pytest.mark.parametrize("name", NAMES)
def test_the_maker_is_what_the_request_names(name: str, ledger: po.Ledger) -> None:
    release = mechanisms()[name](ledger, "may")
    (charge,) = [event for event in ledger.events if event.kind == "charge"]
    assert charge.request is not None
    assert release.maker == charge.request.subject
    assert mechanisms()[name](None, None).maker == release.maker


@pytest.mark.parametrize(
    "bad",
    [{"date": "May"}, {"date": 7}, {"date": "2026-05-01T10:00:00Z\n"}, {"maker": "x"},
     {"maker": ["ab" * 32]}, {"maker": "AB" * 32}],
)  # fmt: skip
def test_a_damaged_date_or_maker_is_refused(tmp_path: Path, bad: dict[str, Any]) -> None:
    data = json.loads(wire.text(measured(D))) | bad
    (tmp_path / "bad").write_text(json.dumps(data))
    with pytest.raises(InputError, match="not a whole release"):
        po.Release.load(tmp_path / "bad")
