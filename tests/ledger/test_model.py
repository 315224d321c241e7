"""The ledger against a model in exact fractions: random charges, keys, failures, limits."""

from __future__ import annotations

import shutil
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from tests.ledger.requests import never, request
from tests.ledger.stores.postgresql.server import Server

from privopt.errors import BudgetExceededError, BurntError, KeyUsedError
from privopt.ledger import Budget, Ledger

EPSILON = st.one_of(
    st.sampled_from(["0", "0.1", "0.25", "0.0001", "1e-30", "3"]),
    st.floats(1e-9, 2).map(repr),
    st.fractions(0, 2, max_denominator=1000),
)
DELTA = st.sampled_from(["0", "1e-6", "1e-9", "1e-60", 0.1])
KEYS = st.one_of(st.none(), st.sampled_from(["a", "b", "c", "d"]))


class Model(RuleBasedStateMachine):
    """Charges fit exactly while the sum of fractions is within the limit.

    `steps` counts the rules that were run, of all machines.
    """

    steps: ClassVar[int] = 0
    server: ClassVar[Server | None] = None  # else each ledger is a file

    def __init__(self) -> None:
        super().__init__()
        memory = Path("/dev/shm")  # noqa: S108
        self.folder = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
        self.place = self.server.address() if self.server else str(self.folder / "x")
        self.ledger = Ledger(self.place, Budget(5, "1e-5"))
        self.spent, self.limit = (Fraction(0), Fraction(0)), (Fraction(5), Fraction(1, 10**5))
        self.keys: dict[str, tuple[str, bytes | None]] = {}
        self.count = 0

    def teardown(self) -> None:
        report = self.ledger.verify()
        assert report.spent.exact == self.spent
        self.ledger.close()
        shutil.rmtree(self.folder)

    @rule(
        epsilon=EPSILON, delta=DELTA, key=KEYS, fails=st.sampled_from([False, False, False, True])
    )
    def charge(self, epsilon: str, delta: str, key: str | None, fails: bool) -> None:
        type(self).steps += 1
        asked = request(epsilon, delta)
        output = b"%d" % self.count
        self.count += 1

        def make(_: object) -> bytes:
            if fails:
                raise ZeroDivisionError
            return output

        if key in self.keys:
            text, stored = self.keys[key]
            if text != asked.text:
                with pytest.raises(KeyUsedError):
                    self.ledger.charge(asked, never, key)
            elif stored is None:
                with pytest.raises(BurntError):
                    self.ledger.charge(asked, never, key)
            else:
                assert self.ledger.charge(asked, never, key) == stored
            return
        cost = Budget(epsilon, delta).charge.budget.exact
        total = (self.spent[0] + cost[0], self.spent[1] + cost[1])
        fits = cost == (0, 0) or (total[0] <= self.limit[0] and total[1] <= self.limit[1])
        if not fits:
            with pytest.raises(BudgetExceededError):
                self.ledger.charge(asked, never, key)
            return
        self.spent = total
        if key is not None:
            self.keys[key] = (asked.text, None if fails else output)
        if fails:
            with pytest.raises(ZeroDivisionError):
                self.ledger.charge(asked, make, key)
        else:
            assert self.ledger.charge(asked, make, key) == output

    @rule(key=st.sampled_from(["a", "b", "c", "d"]))
    def again(self, key: str) -> None:
        if key in self.keys and self.keys[key][1] is not None:
            type(self).steps += 1
            text, stored = self.keys[key]
            assert self.ledger.charge(type(request()).read(text), never, key) == stored

    @rule(epsilon=st.sampled_from(["0", "1", "5", "7.5"]), delta=st.sampled_from(["0", "1e-5"]))
    def change_limit(self, epsilon: str, delta: str) -> None:
        type(self).steps += 1
        self.ledger.set_limit(Budget(epsilon, delta))
        self.limit = Budget(epsilon, delta).exact

    @rule()
    def reopen(self) -> None:
        type(self).steps += 1
        self.ledger.close()
        self.ledger = Ledger(self.place, Budget(*self.limit))

    @invariant()
    def sums_are_exact(self) -> None:
        assert self.ledger.spent.exact == self.spent
        assert self.ledger.limit.exact == self.limit
        left = tuple(max(Fraction(0), a - b) for a, b in zip(self.limit, self.spent, strict=True))
        assert self.ledger.left.exact == left


def run(examples: int, steps: int) -> int:
    """Run machines, the same ones each time; how many steps they took."""
    Model.steps = 0
    run_state_machine_as_test(
        Model,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            derandomize=True,
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    return Model.steps


@pytest.mark.long
def test_a_thousand_steps() -> None:
    assert run(38, 40) >= 1000


@pytest.mark.long
def test_a_hundred_steps_on_a_server(running: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Model, "server", running)
    assert run(5, 30) >= 100


@pytest.mark.slow
def test_ten_thousand_steps_on_a_server(running: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Model, "server", running)
    assert run(140, 100) >= 10_000


@pytest.mark.slow
def test_a_hundred_thousand_steps() -> None:
    assert run(1320, 100) >= 100_000
