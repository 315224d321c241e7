"""Each field of each public record is bound: edited, it is refused, not confirmed, or named here.

The ledger is untouched. One field is edited at a time, at any depth, in the file as it was written.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privopt as po
from privopt.app.check import KINDS, check, verdict
from privopt.errors import KeyUsedError, PrivoptError
from privopt.kernel import wire
from privopt.record import PARTS, digest

# What no claim rests on, and why.
FREE = {
    "comparison": "how an instrument was chosen: public simulations, which decide nothing more",
}


def program(*names: str) -> po.ConvexProgram:
    return po.ConvexProgram(
        linear=[1.0, 2.0, 3.0, 1.0], quadratic=[0.5] * 4, lower=0.0, upper=9.0, unit="MW",
        G=[[1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]], d=[6.0, 4.0, 1.0], private=[0, 1],
        data_names=[*names, "fixed"],
    )  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger, and a file of each kind that was made through it."""
    folder = tmp_path_factory.mktemp("records")
    made, query = program("ann", "bob"), po.Identity([0])
    noise = po.Laplace(epsilon=0.5, alpha=0.1)
    facts = po.Domain([5.0, 3.0], [7.0, 5.0], rows=([[1.0, 1.0]], [8.5], [11.5]))
    limits = po.ExactBox(eta=0.05)
    one = po.choose_instrument(made, query, noise, limits, domain=facts)
    with po.Ledger(folder / "l.ledger", limit=po.Budget(9, 1e-3)) as ledger:
        measured = one.measure([6.0, 4.0, 1.0], ledger, "one")
        other = po.Instrument([[1.0, 1.0]], program=made, privacy=noise, domain=facts)
        again = other.measure([6.0, 4.0, 1.0], ledger, "two")
        decision = po.decide(made, query, [measured, again], limits)
        plan = po.solve(made, query, noise, po.Analytic(eta=0.05))
        things = {
            "instrument": one, "measurement": measured, "decision": decision,
            "decided": decision.release(), "release": plan.release(ledger, "plan"),
        }  # fmt: skip
    for name, thing in things.items():
        thing.save(folder / f"{name}.json")
    return folder


def edits(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every place of plain data, with another value; of a long list the first two entries."""
    if isinstance(data, dict):
        for key in data:
            yield from edits(data[key], (*path, key))
        yield (*path, "more"), 1
    elif isinstance(data, list):
        for k in range(min(len(data), 2)):
            yield from edits(data[k], (*path, k))
        yield path, [*data, *data[-1:]] if data else [0.5]
    elif isinstance(data, bool) or data is None:
        yield path, not data if isinstance(data, bool) else 1.0
    elif isinstance(data, int | float):
        yield path, data + 1
        yield path, float(np.nextafter(data, 1e9)) if isinstance(data, float) else -data - 1
    else:
        yield path, f"{data}x"
        yield path, None


def put(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(data)
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return changed


def fitted(data: Any) -> Any:
    """The same with every digest made anew, from the parts that name no others upwards."""
    done = copy.deepcopy(data)
    parts = done.get(PARTS, {})
    if not isinstance(parts, dict) or not all(isinstance(one, dict) for one in parts.values()):
        return done
    for _ in range(3):
        renamed = {
            name: digest({k: v for k, v in part.items() if k != PARTS})
            for name, part in done.get(PARTS, {}).items()
        }
        text = json.dumps(done)
        for old, new in renamed.items():
            text = text.replace(old, new)
        done = json.loads(text)
    return done


@pytest.mark.long
@pytest.mark.parametrize("fit", [False, True], ids=["as it is", "digests made anew"])
@pytest.mark.parametrize("name", ["instrument", "measurement", "decision", "decided", "release"])
def test_each_field_of_each_record_is_bound(name: str, fit: bool, place: Path) -> None:
    plain = json.loads((place / f"{name}.json").read_text())
    decision = po.Decision.load(place / "decision.json")
    tried, passed = 0, list[str]()
    for path, value in edits(plain):
        changed = put(plain, path, value)
        changed = fitted(changed) if fit else changed
        tried += 1
        try:
            found = wire.read(KINDS[plain["privopt"]], json.dumps(changed), "it")
            beside = decision if name == "decided" else None
            ledger = None if name == "instrument" else place / "l.ledger"
            bound = verdict(check(found, ledger, beside)) is not True
            if name == "instrument":  # a ledger knows it by its digest
                bound = found.digest != digest({k: v for k, v in plain.items() if k not in FREE})
        except PrivoptError:
            bound = True
        if not bound and path[0] not in FREE:
            passed.append("/".join(map(str, path)))
    if name != "decision":
        assert passed == []
    # What a decision states of its own worth and query is its own: its digest is in its release.
    whole = po.Decision.load(place / "decision.json") if name == "decision" else None
    for where in passed:
        assert whole is not None
        assert where.split("/")[0] in OWN, where
    assert tried > 40


# A decision is a function of its measurements, and nobody is charged for it: another one may be
# made of them. What it claims of privacy and feasibility is made anew or looked at; these are its
# own words, which its digest binds, and its release names that digest.
OWN = {
    "values": "checked by the certificate, in exact fractions",
    "certificate": "checked in exact fractions: another one that holds is as good",
    "names": "names of released values",
    "query": "what is released: checked with the certificate",
    "loss": "simulated", "optimal_cost": "simulated", "errors": "simulated", "spreads": "simulated",
    "worth": "simulated", "program": "another program is another decision", "parts": "the same",
    "guarantee": "an eta that is larger promises less",
    "measurements": "fewer or more of them are another decision",
    "balance": "another decision",
}  # fmt: skip


def test_a_key_is_of_one_record(tmp_path: Path) -> None:
    """Other entries, another order or other facts under the same key are refused, not replayed."""
    noise, W = po.Laplace(epsilon=0.5, alpha=0.1), [[1.0, 1.0]]
    box = po.Box([5.0, 3.0], [7.0, 5.0])
    plain = po.Instrument(W, program=program("ann", "bob"), privacy=noise, domain=box)
    facts = po.Domain([5.0, 3.0], [7.0, 5.0], rows=(W, [8.5], [11.5]))
    others = [
        po.Instrument(W, program=program("bob", "ann"), privacy=noise, domain=box),
        po.Instrument(W, program=program("ann", "bob"), privacy=noise, domain=facts),
    ]
    with po.Ledger(tmp_path / "l.ledger", limit=po.Budget(2)) as ledger:
        first = plain.measure([6.0, 4.0, 1.0], ledger, "may")
        for other in others:
            with pytest.raises(KeyUsedError):
                other.measure([4.0, 6.0, 1.0], ledger, "may")
        assert plain.measure([6.0, 4.0, 1.0], ledger, "may") == first
        assert len([one for one in ledger.events if one.kind == "charge"]) == 1
