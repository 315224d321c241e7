"""Quotas against a plain model in exact fractions: random names, charges, quotas and limits."""

from __future__ import annotations

import shutil
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from tests.ledger.requests import never, request

from privopt.errors import BudgetExceededError
from privopt.ledger import Budget, Ledger

Amount = tuple[Fraction, Fraction]
NOTHING: Amount = (Fraction(0), Fraction(0))
EPSILON = st.sampled_from(["0", "0.1", "0.25", "0.3", "1e-30", "1"])
DELTA = st.sampled_from(["0", "0", "1e-6", "1e-60"])
NAMES = st.sampled_from([None, "anna", "ben", "carl"])


def plus(one: Amount, other: Amount) -> Amount:
    return one[0] + other[0], one[1] + other[1]


def within(one: Amount, limit: Amount) -> bool:
    return one[0] <= limit[0] and one[1] <= limit[1]


class Model(RuleBasedStateMachine):
    """A charge fits if the limit and the quota of its releaser hold it, which it must have.

    `steps` counts the rules that were run, `over` the charges that a quota alone refused.
    """

    steps: ClassVar[int] = 0
    over: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        memory = Path("/dev/shm")  # noqa: S108
        self.folder = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
        self.path, self.anchor = self.folder / "x", self.folder / "anchor"
        Ledger(self.path, Budget(3, "1e-5"), anchor=self.anchor).close()
        self.limit = Budget(3, "1e-5").exact
        self.charges: list[tuple[str | None, Amount]] = []
        self.quotas: dict[str, Amount] = {}

    def teardown(self) -> None:
        with Ledger(self.path, anchor=self.anchor) as ledger:
            assert ledger.verify().charges == len(self.charges)
            copied = ledger.copy(self.folder / "copy")
            assert (copied.quotas, copied.head) == (ledger.quotas, ledger.head)
        shutil.rmtree(self.folder)

    def spent(self, name: str | None = None) -> Amount:
        total = NOTHING
        for releaser, cost in self.charges:
            if name in (None, releaser):
                total = plus(total, cost)
        return total

    def fits_quota(self, releaser: str | None, cost: Amount) -> bool:
        if not self.quotas:
            return True
        quota = None if releaser is None else self.quotas.get(releaser)
        return quota is not None and within(plus(self.spent(releaser), cost), quota)

    @initialize(quota=st.sampled_from([None, "0.25", "1"]))
    def begin(self, quota: str | None) -> None:
        if quota is not None:
            self.set_quota(quota, "1e-5", "anna")

    @rule(epsilon=EPSILON, delta=DELTA, releaser=NAMES)
    def charge(self, epsilon: str, delta: str, releaser: str | None) -> None:
        type(self).steps += 1
        cost = Budget(epsilon, delta).exact
        fits_limit = within(plus(self.spent(), cost), self.limit)
        fits = cost == NOTHING or (fits_limit and self.fits_quota(releaser, cost))
        with Ledger(self.path, anchor=self.anchor, releaser=releaser) as ledger:
            if fits:
                assert not ledger.rehearse(request(epsilon, delta))
                ledger.charge(request(epsilon, delta), lambda _: b"x")
                self.charges.append((releaser, cost))
                return
            type(self).over += fits_limit
            with pytest.raises(BudgetExceededError):
                ledger.charge(request(epsilon, delta), never)

    @rule(
        epsilon=EPSILON,
        delta=st.sampled_from(["0", "1e-5"]),
        name=st.sampled_from(["anna", "ben"]),
    )
    def set_quota(self, epsilon: str, delta: str, name: str) -> None:
        type(self).steps += 1
        with Ledger(self.path, anchor=self.anchor) as ledger:
            ledger.set_quota(Budget(epsilon, delta), releaser=name)
        self.quotas[name] = Budget(epsilon, delta).exact

    @rule(epsilon=st.sampled_from(["1", "3", "9"]))
    def set_limit(self, epsilon: str) -> None:
        type(self).steps += 1
        with Ledger(self.path, anchor=self.anchor) as ledger:
            ledger.set_limit(Budget(epsilon, "1e-5"))
        self.limit = Budget(epsilon, "1e-5").exact

    @invariant()
    def the_ledger_says_so(self) -> None:
        with Ledger(self.path, read_only=True, anchor=self.anchor) as ledger:
            assert ledger.spent.exact == self.spent()
            said = {one.releaser: (one.limit.exact, one.spent.exact) for one in ledger.quotas}
        assert said == {one: (limit, self.spent(one)) for one, limit in self.quotas.items()}


def run(examples: int, steps: int) -> int:
    """Run machines, the same ones each time; how many steps they took."""
    Model.steps = Model.over = 0
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
def test_four_hundred_steps() -> None:
    assert run(8, 60) >= 300
    assert Model.over >= 10


@pytest.mark.slow
def test_ten_thousand_steps() -> None:
    assert run(200, 60) >= 10_000
