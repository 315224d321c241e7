"""Rows that say anything, under digests that are right: our error that names the row, or nothing.

Every value of the JSON of a row, and every column, is replaced by values of all kinds.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.ledger.forging import forge, rows_of
from tests.ledger.requests import open_ledger, request

from privopt.cli.view import print_view
from privopt.errors import LedgerError, PrivoptError
from privopt.ledger import Budget, Ledger, compose
from privopt.ledger.request import Request
from privopt.ledger.row import COLUMNS
from privopt.ledger.subject import Subject

DEEP = json.loads("[" * 400 + "]" * 400)
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7, 10**400, -(10**400), 2**63, 1.5, -0.5, 1e308, 5e-324,
    float("nan"), float("inf"), "", "x", "[/red]\x1b[31m", "1e5", "nan", "\ud800", "\0",
    "9" * 5000, "1:", f"0:{'0' * 64}", [], [1], {}, {"a": 1}, DEEP, "x" * 2000,
)  # fmt: skip
TEXTS = ("", "[]", "null", "{", "1", '"x"', "NaN", '{"a":1}', "[" * 100_000, "9" * 5000, "{}" * 9)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Opened, two charges with outputs (one redacted), one without, a limit, a quota."""
    folder = tmp_path_factory.mktemp("forged")
    with open_ledger(folder, 1, releaser="anna") as made:
        noise = {"noise": "Laplace", "scale": 1.0, "sensitivity": 0.1, "size": 1, "exponent": -40}
        made.charge(request("0.1", own_epsilon=0.1, **noise), lambda _: b"x", "k")
        made.charge(request("0.1"), lambda _: b"x", "l")
        made.redact(4)
        with contextlib.suppress(ZeroDivisionError):
            made.charge(request("0.1"), lambda _: bytes(1 // 0), "burnt")
        made.set_limit(Budget(2))
        made.set_quota(Budget(2), releaser="anna")
        return made.path


def uses(path: Path) -> list[Callable[[], object]]:
    """Everything that is done with a ledger; a new one each time, as a command does."""

    def seen() -> Ledger:
        return Ledger(path, read_only=True)

    def show(count: int | None) -> None:
        with seen() as ledger:
            subject, events = ledger.subject, ledger.recent(count) if count else ledger.events
            print_view(Console(file=io.StringIO(), width=80), ledger.view(count or 0))
        json.dumps([event.to_dict() for event in events], allow_nan=False)
        assert subject.entries != 0

    return [
        lambda: show(None),
        lambda: show(1),
        lambda: seen().summary(),
        lambda: repr(seen()),
        lambda: seen().verify().summary(),
        lambda: seen().fetch(row=2),
        lambda: seen().fetch(key="k"),
        lambda: seen().rehearse(request("0.1"), "k"),
        lambda: seen().rehearse(request("0.1"), "new"),
        lambda: str(compose(seen(), 1e-6)),
        lambda: Ledger(path).charge(request("0.1"), lambda _: b"x", "more"),
        lambda: seen().quotas,
        lambda: Ledger(path, releaser="anna").charge(request("0.1"), lambda _: b"x", "named"),
        lambda: Ledger(path).set_quota(Budget(2), releaser="anna"),
        lambda: Ledger(path).redact(2),
        lambda: Ledger(path).set_limit(Budget(2)),
    ]


def use(path: Path) -> None:
    """Our errors and no others."""
    for one in uses(path):
        with contextlib.suppress(PrivoptError):
            one()


def changed(text: str, name: str, value: Any) -> str:
    return json.dumps({**json.loads(text), name: value}, sort_keys=True, separators=(",", ":"))


FIELDS = [(1, name) for name in Subject.__dataclass_fields__]
FIELDS += [(2, name) for name in Request.__dataclass_fields__]
FIELDS += [(6, "row"), (2, "more"), (1, "more")]


def try_values(sample: Path, path: Path, field: tuple[int, str], values: Iterable[Any]) -> None:
    row, name = field
    text = rows_of(sample)[row - 1].request or ""
    for value in values:
        shutil.copy(sample, path)
        forge(path, row, request=changed(text, name, value))
        use(path)


@pytest.mark.parametrize("number", range(len(FIELDS)))
def test_every_value_of_a_row_can_be_anything(sample: Path, folder: Path, number: int) -> None:
    """Some for each; all of them in `make fuzz`."""
    try_values(sample, folder / "loads.ledger", FIELDS[number], VALUES[number % 16 :: 16])


@pytest.mark.fuzz
@pytest.mark.parametrize("field", FIELDS)
def test_every_value_of_a_row_can_be_all_of_these(
    sample: Path, folder: Path, field: tuple[int, str]
) -> None:
    try_values(sample, folder / "loads.ledger", field, VALUES)


@pytest.mark.fuzz
@pytest.mark.parametrize("column", [name for name in COLUMNS if name != "seq"])
def test_every_column_of_a_row_can_be_anything(sample: Path, folder: Path, column: str) -> None:
    path = folder / "loads.ledger"
    cells = (
        None,
        0,
        7,
        2**62,
        -(2**63),
        1.5,
        "",
        "x",
        "0" * 9,
        "9" * 61,
        "[/]\x1b[31m",
        b"",
        b"x" * 32,
    )
    for row in range(1, 10):
        for cell in (*cells, "output", "charge", "opened", "limit", 2, "x" * 900_000):
            shutil.copy(sample, path)
            with contextlib.suppress(sqlite3.Error, TypeError, AttributeError):  # cannot be stored
                forge(path, row, **{column: cell})
            use(path)


def test_every_text_of_a_row_can_be_anything(sample: Path, folder: Path) -> None:
    path = folder / "loads.ledger"
    for row in (1, 2):
        for text in TEXTS:
            shutil.copy(sample, path)
            forge(path, row, request=text)
            use(path)


WRONG = [
    (1, "alpha", 10**400),
    (1, "alpha", True),
    (1, "alpha", 0),
    (1, "dataset", 3),
    (1, "private", "x:y"),
    (2, "private", 3),
    (2, "private", "many"),
    (2, "mechanism", None),
    (2, "provenance", []),
    (2, "size", 1.5),
    (2, "scale", -1),
    (2, "tries", 0),
    (2, "exponent", 10**400),
    (2, "own_epsilon", "0.1"),
    (2, "own_delta", True),
    (2, "alpha", DEEP),
]


@pytest.mark.parametrize(("row", "name", "value"), WRONG, ids=lambda value: f"{value!s:.12}")
def test_the_row_is_named_wherever_it_is_read(
    sample: Path, folder: Path, row: int, name: str, value: Any
) -> None:
    path = shutil.copy(sample, folder / "loads.ledger")
    forge(path, row, request=changed(rows_of(path)[row - 1].request or "", name, value))
    for look in (
        lambda: Ledger(path, read_only=True).events,
        lambda: Ledger(path, read_only=True).verify(),
        lambda: Ledger(path),
    ):
        with pytest.raises(LedgerError, match=f"row {row} of the ledger does not say") as caught:
            look()
        assert caught.value.row == row


@pytest.mark.parametrize(
    ("row", "changes"),
    [
        (2, {"spent_epsilon": str(10**43)}),
        (2, {"limit_delta": str(10**60 + 1)}),
        (2, {"kind": "opened"}),
        (1, {"kind": "limit"}),
        (2, {"kind": "gift"}),
        (2, {"of": 1}),
        (2, {"releaser": ""}),
        (2, {"releaser": "x\n"}),
        (2, {"releaser": "x" * 201}),
        (2, {"releaser": None}),
        (2, {"releaser_spent_epsilon": "01"}),
        (2, {"releaser_spent_delta": None}),
        (2, {"releaser_limit_delta": "0"}),
        (3, {"releasers": 0}),
        (3, {"releasers": -1}),
        (9, {"releaser_limit_epsilon": None}),
    ],
)
def test_columns_that_no_ledger_writes_name_their_row(
    sample: Path, folder: Path, row: int, changes: dict[str, Any]
) -> None:
    path = shutil.copy(sample, folder / "loads.ledger")
    forge(path, row, **changes)
    with pytest.raises(LedgerError, match=f"row {row} of the ledger does not say"):
        Ledger(path, read_only=True).verify()
    use(path)
