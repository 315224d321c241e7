"""The text of a row in SQL against Python: the same digests, of whatever values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.ledger.stores.postgresql.server import Server
from tests.ledger.stores.postgresql.team import Team, team

from privopt.ledger.row import AMOUNTS, COLUMNS, SHARE, THINGS, Row, chained_digest
from privopt.ledger.stores.postgresql.canonical import TYPES

# Whatever PostgreSQL can keep: all of Unicode but NUL and halves of characters.
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
HASH = st.binary(min_size=32, max_size=32)
NUMBER = st.integers(1, 2**62)
AMOUNT = st.integers(0, 10**42).map(str)


def rows() -> st.SearchStrategy[Row]:
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "bigint": st.one_of(st.none(), NUMBER),
        "bytea": st.one_of(st.none(), st.binary(max_size=40)),
        "text": st.one_of(st.none(), TEXT),
    }
    given = {name: kinds[TYPES[name]] for name in COLUMNS}
    given |= dict.fromkeys(AMOUNTS, AMOUNT) | dict.fromkeys(SHARE, st.one_of(st.none(), AMOUNT))
    given |= {"seq": NUMBER, "kind": st.sampled_from(["charge", "output", "quota"])}
    given |= {"previous": HASH, "digest": HASH}
    return st.builds(Row, **given)


@pytest.fixture(scope="module")
def shared(running: Server) -> Team:
    return team(running)


def test_the_digest_is_the_one_that_python_makes(shared: Team) -> None:
    columns = ", ".join(f"%s::{TYPES[name]}" for name in COLUMNS)
    asked = f"SELECT {shared.schema}.digest(ROW({columns})::{shared.schema}.entries)"
    with shared.sql("olga") as connection:

        @settings(max_examples=200, deadline=None, derandomize=True, database=None,
                  suppress_health_check=list(HealthCheck))  # fmt: skip
        @given(rows())
        def check(row: Row) -> None:
            values = tuple(getattr(row, name) for name in COLUMNS)
            assert connection.execute(asked, values).fetchone() == (chained_digest(row),)

        check()


def test_text_is_escaped_as_python_does_it(shared: Team) -> None:
    texts = ["", "plain", 'a"b\\c/', "".join(map(chr, range(1, 300))), "é\u2028\ud7ff\ue000\uffff"]
    texts += ["𝄞\U00010000\U0010ffff\U0001f600"]
    with shared.sql("olga") as connection:
        for text in texts:
            found = connection.execute(f"SELECT {shared.schema}.json(%s)", (text,)).fetchone()
            assert found == (json.dumps(text),)


def test_every_column_has_its_type() -> None:
    assert {name for name, kind in TYPES.items() if kind == "bigint"} == {"seq", "of", "releasers"}
    texts = {name for name, kind in TYPES.items() if kind == "text"}
    assert texts == {"kind", "time", "releaser", *AMOUNTS, *SHARE, *(set(THINGS) - {"output"})}
