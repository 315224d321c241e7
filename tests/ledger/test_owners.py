"""A ledger counts for one relation: what is released under another is refused, and not charged."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.kernel.instrument import Instrument

DATA = SimpleNamespace(data_names=("a", "b", "c"), private=np.arange(3))


def measured(ledger: po.Ledger, key: str | None = None, **relation: Any) -> Any:
    noise = po.Laplace(epsilon=0.5, **{"alpha": 0.1, **relation})
    made = Instrument([[1, 1, 0], [0, 0, 1]], program=DATA, privacy=noise, domain=po.Box(0.0, 1.0))
    return made.measure([0.5, 0.5, 0.5], ledger, key)


@pytest.mark.parametrize(
    "other",
    [{}, {"owners": ["x", "y", "y"]}, {"owners": ["x", "x", "y"], "change": "total"},
     {"owners": ["x", "x", "y"], "alpha": [0.1, 0.05, 0.1]}, {"change": "total"}],
)  # fmt: skip
def test_another_relation_is_refused_and_not_charged(tmp_path: Path, other: Any) -> None:
    with po.Ledger(tmp_path / "a.ledger", limit=po.Budget(2)) as ledger:
        first = measured(ledger, "mine", owners=["x", "x", "y"])
        with pytest.raises(po.errors.LedgerError, match="different neighbours do not add up"):
            measured(ledger, **other)
        measured(ledger, owners={"c": 5, "a": 1, "b": 1})  # the same, said otherwise
        again = measured(ledger, "mine", owners=["u", "u", "v"])
        assert again.values.tolist() == first.values.tolist()
        assert ledger.spent == po.Budget(1)
        assert "of one owner (at most 2), each by at most 0.1" in ledger.subject.neighbours
        ledger.verify()
    with pytest.raises(po.errors.LedgerError, match="different neighbours"):
        po.Ledger(tmp_path / "a.ledger", alpha=0.1)


def test_an_alpha_that_the_curator_gave_is_of_one_entry(tmp_path: Path) -> None:
    with po.Ledger(tmp_path / "a.ledger", limit=po.Budget(2), alpha=0.1) as ledger:
        with pytest.raises(po.errors.LedgerError, match="different neighbours"):
            measured(ledger, owners=["x", "x", "y"])
        measured(ledger)
        assert ledger.spent == po.Budget(0.5)
