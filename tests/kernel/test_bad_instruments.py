"""Bad input to instruments: refused in our words, nothing charged or written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.kernel.instruments import program

import privopt as po
from privopt.errors import PrivoptError

D = [0.7123457, 0.9234561, 1.1345672]
TOTAL = {"total": [0, 1, 2]}
NAMES = ["d0", "d1", "d2"]


def made(W: Any = TOTAL, alpha: Any = 0.1, **more: Any) -> po.Instrument:
    noise = po.Laplace(epsilon=1.0, alpha=alpha)
    given = {"program": program(3), "privacy": noise, "domain": po.Box(0.5, 1.3)} | more
    return po.Instrument(W, **given)


def refused(act: Callable[[], object]) -> str:
    """What a refusal says, with all that it is made of; none of it is private."""
    with pytest.raises(PrivoptError) as caught:
        act()
    error = caught.value
    assert error.got
    assert error.needed
    assert error.remedy
    assert not any(str(value)[:6] in str(error) for value in D)
    return str(error)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"program": None}, "program is NoneType"),
        ({"program": po.ConvexProgram}, "program is the class ConvexProgram"),
        ({"domain": None}, "domain is NoneType"),
        ({"domain": (0.5, 1.3)}, "domain is tuple"),
        ({"domain": po.Box}, "domain is the class Box"),
        ({"W": np.eye(3), "names": 5}, "are a int"),
        ({"W": np.eye(3), "names": "abc"}, "are a str"),
        ({"W": None}, "matrix of numbers"),
        ({"W": {"a": {"d0": 2.0}}}, "'a' is a dict"),
        ({"W": pd.Series([1.0, 1, 1], index=["d0", "d1", "x"])}, "unknown x"),
        ({"W": [[10**400, 0, 0]]}, "matrix of numbers"),
        ({"W": [[5e-324, 0, 0]]}, "below 1e-100"),
        ({"W": np.ones((3, 1))}, "1 columns"),
        ({"alpha": 1e90}, "beside which the whole domain"),
    ],
)
def test_arguments_of_an_instrument(given: dict[str, Any], says: str) -> None:
    assert says in refused(lambda: made(**given))


@pytest.mark.parametrize(
    ("lower", "says"),
    [
        ("a", "no finite number"),
        (None, "no finite number"),
        ({"d0": 0.0}, "names of lower of the domain do not match"),
        ({"d0": 0.0, "d1": np.nan, "d2": 0.0}, "no finite number"),
        ({"d0": 0.0, "d1": 3.0, "d2": 0.0}, "lies above"),
        (1j, "no finite number"),
        ([[0.0], [0.0, 1.0]], "could not be read"),
        (10**400, "no finite number"),
        (object(), "no finite number"),
        (["0", "0", "0"], "no finite number"),
        (pd.Series([0.0, 0, 0], index=["d0", "d1", "x"]), "unknown x"),
        (pd.Series([0.0, 5, 0], index=NAMES), "lies above"),
    ],
)
def test_bounds_of_a_domain(lower: Any, says: str) -> None:
    assert says in refused(lambda: made(domain=po.Box(lower, 2.0)))


def test_labels_decide_and_not_the_order() -> None:
    back = NAMES[::-1]
    assert made(pd.Series([1.0, 2, 3], index=back)).W.tolist() == [[3, 2, 1]]
    lower, upper = (
        pd.Series([1.1, 0.2, 0.1], index=NAMES), pd.Series([0.3, 0.4, 2.0], index=back)
    )  # fmt: skip
    assert [end.tolist() for end in made(domain=po.Box(lower, upper)).domain] == [
        [1.1, 0.2, 0.1],
        [2.0, 0.4, 0.3],
    ]
    assert "of the same name" in refused(lambda: made(domain=po.Box(lower, upper - 1.0)))


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[po.Ledger]:
    """One whose limit is spent by the key "first"."""
    with po.Ledger(tmp_path / "ledger", limit=po.Budget(1.0)) as opened:
        made().measure(D, opened, "first")
        yield opened


@pytest.mark.parametrize(
    ("sums", "d", "key", "says"),
    [
        (TOTAL, [[x] for x in D], "k", "d is a table"),
        (TOTAL, np.array([D]).T, "k", "d is a table"),
        (TOTAL, [(x,) for x in D], "k", "d is a table"),
        (TOTAL, dict(zip(NAMES[1:], D[1:], strict=True)), "k", "names of d do not match"),
        (TOTAL, D[:2], "k", "length 2"),
        (TOTAL, pd.Series(D, index=["d0", "d1", "x"]), "k", "does not match"),
        (TOTAL, D, "k", "is left"),
        (TOTAL, D, None, "is left"),
        ({"total": [0, 1]}, D, "first", "another request"),
        ({"other": [0, 1, 2]}, D, "first", "another request"),
        (TOTAL, D, 5, "key"),
        (TOTAL, D, "", "key"),
    ],
)
def test_what_is_refused_is_not_charged(
    ledger: po.Ledger, sums: Any, d: Any, key: Any, says: str
) -> None:
    before = ledger.events
    assert says in refused(lambda: made(sums).measure(d, ledger, key))
    assert ledger.events == before


@pytest.mark.parametrize("sums", [TOTAL, {}], ids=["total", "nothing"])
def test_a_ledger_is_a_ledger_also_where_nothing_is_measured(sums: Any, tmp_path: Path) -> None:
    assert "ledger is a PosixPath" in refused(lambda: made(sums).measure(D, tmp_path, "k"))
    assert "without a ledger" in refused(lambda: made(sums).measure(D, None, "k"))


def test_other_neighbours_or_entries_are_another_dataset(ledger: po.Ledger) -> None:
    ledger.set_limit(po.Budget(9.0))
    before = ledger.events
    named = po.ConvexProgram(
        linear=np.ones(3), G=np.eye(3), d=None, lower=0.0, data_names=["x", "y", "z"]
    )
    assert "alpha is 0.2" in refused(lambda: made(alpha=0.2).measure(D, ledger, "k"))
    assert "private set" in refused(lambda: made(program=named).measure(D, ledger, "k"))
    assert ledger.events == before


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"null", b"\xff" * 1000, b"[" * 100_000, b'{"privopt": "measurement"}'],
    ids=["empty", "list", "null", "garbage", "deep", "bare"],
)
def test_files_that_are_none(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    for kind in (po.Instrument, po.Measurement, po.Decision):
        said = refused(lambda kind=kind: kind.load(path))
        assert " a instrument" not in said
        assert "x.json" in said


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "9" * 5000])
def test_numbers_that_no_file_of_ours_has(number: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    made().measure(D).save(path)
    whole = path.read_text()
    path.write_text(whole.replace('"version": 2', f'"version": 2, "more": {number}', 1))
    assert "JSON" in refused(lambda: po.Measurement.load(path))
    path.write_text(whole[: len(whole) // 2])
    assert "JSON" in refused(lambda: po.Measurement.load(path))


def test_a_value_that_no_grid_holds_is_refused_without_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    made().measure(D).save(path)
    data = json.loads(path.read_text())
    data["release"]["values"] = [1e308]
    path.write_text(json.dumps(data))
    assert "not a whole measurement" in refused(lambda: po.Measurement.load(path))


def test_where_nothing_can_be_written_the_old_file_stays(ledger: po.Ledger, tmp_path: Path) -> None:
    before = (tmp_path / "ledger").read_bytes()
    for path in (None, 3, tmp_path, tmp_path / "no" / "x.json", tmp_path / "ledger", "a\0b"):
        refused(lambda path=path: made().save(path))
    assert (tmp_path / "ledger").read_bytes() == before
    assert [item.name for item in tmp_path.iterdir()] == ["ledger"]
