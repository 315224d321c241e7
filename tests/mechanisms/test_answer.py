"""The request of a plan or a baseline: public data alone, and all that decides its values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.kernel.loads import noise, plan, program

import privopt as po


@pytest.fixture
def ledger(tmp_path: Path) -> po.Ledger:
    return po.Ledger(tmp_path / "loads.ledger", limit=po.Budget(1.0))


def test_the_request_tells_nothing_of_d(ledger: po.Ledger) -> None:
    assert plan(d=(3.0, 1.0)).request == plan(d=(2.9, 1.25)).request
    plan(d=(3.0, 1.0)).release(ledger, "a")
    first = plan(d=(3.0, 1.0)).release(ledger, "a")
    assert plan(d=(2.9, 1.25)).release(ledger, "a") == first


def test_the_request_tells_programs_queries_and_claims_apart() -> None:
    def request(**more: Any) -> Any:
        other = more.pop("query", po.Identity([0]))
        kept = more.pop("kept", po.Analytic(eta=0.05))
        asked = {name: more.pop(name, None) for name in ("objective", "repeat")}
        return po.solve(program(**more), other, noise(), kept, **asked).request

    requests = [
        request(),
        request(query=po.Identity([1])),
        request(query=po.Sum({"total": [0]})),  # the same value by another name
        request(kept=po.Analytic(eta=0.06)),
        request(kept=po.Analytic(eta=[0.05, 0.05, 0.05, 0.06, 0.06, 0.06])),
        request(kept=po.Analytic(eta=[0.06, 0.05, 0.05, 0.06, 0.05, 0.06])),
        request(objective=po.SolutionDeviation(phi=0.5)),
        request(objective=po.SolutionDeviation(phi=0.6)),
        request(repeat=po.Repeat(mu=0.002)),
        request(repeat=po.Repeat(mu=0.0021)),
        request(names=["a", "b", "c"]),
        request(private=["load"]),
        request(private=["load"], d=[3.0, 1.25]),  # a public entry of d
    ]
    assert len({each.text for each in requests}) == len(requests)
    assert request(private=["load"], d=[2.5, 1.0]) == request(private=["load"])
    many = [0.05, 0.05, 0.05, 0.06, 0.06, 0.06]
    assert request(kept=po.Analytic(eta=many)) == request(kept=po.Analytic(eta=np.array(many)))
