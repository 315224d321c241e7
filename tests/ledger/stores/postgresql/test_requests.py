"""What a request costs, in SQL as in exact fractions; what is no request is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.ledger.requests import PRIVATE, request
from tests.ledger.stores.postgresql.server import Server
from tests.ledger.stores.postgresql.team import Team, team

from privopt.errors import InputError
from privopt.ledger import Request

OFTEN = settings(
    max_examples=200, deadline=None, derandomize=True, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
FLOATS = st.floats(0, 1e308)


@pytest.fixture(scope="module")
def shared(running: Server) -> Team:
    return team(running)


def test_a_float_is_the_fraction_that_it_is(shared: Team) -> None:
    with shared.sql("olga") as connection:

        @OFTEN
        @given(st.one_of(FLOATS, st.floats(0, 1), st.sampled_from([5e-324, 2.0**-1022, 1e308])))
        def check(value: float) -> None:
            asked = f"SELECT {shared.schema}.exact(%s)"
            (found,) = connection.execute(asked, (repr(value),)).fetchone()
            assert Fraction(found) == Fraction(value)

        check()


def test_a_request_costs_the_same(shared: Team) -> None:
    texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
    own = st.one_of(st.none(), st.floats(0, 10), st.floats(0, 1e-20), st.floats(0, 1e12))

    @OFTEN
    @given(
        st.tuples(
            st.one_of(st.floats(0, 1e12), st.fractions(0, 5, max_denominator=10**6)),
            st.floats(0, 0.99),
            own,
            st.one_of(st.none(), st.floats(0, 0.99), st.floats(0, 1e-50)),
            texts,
            st.floats(1e-300, 1e300),
            st.one_of(st.none(), st.integers(-5000, 5000)),
            st.sampled_from(["", f"each:3:0.25:{PRIVATE.partition(':')[2]}"]),
        )
    )
    def check(values: tuple[Any, ...]) -> None:
        epsilon, delta, own_epsilon, own_delta, text, scale, exponent, relation = values
        asked = request(
            epsilon, delta, own_epsilon=own_epsilon, own_delta=own_delta, subject=text, query=text,
            scale=scale, exponent=exponent, relation=relation,
        )  # fmt: skip
        cost = connection.execute(f"SELECT {shared.schema}.cost(%s)", (asked.text,)).fetchone()
        # In fractions, not by `Budget`: rounded up to whole units.
        expected = [
            -((-max(Fraction(written), Fraction(noise or 0)) * unit) // 1)
            for written, noise, unit in (
                (asked.epsilon, own_epsilon, 10**30),
                (asked.delta, own_delta, 10**60),
            )
        ]
        assert [int(units) for units in cost[0]] == expected == list(asked.charge.charge)

    with shared.sql("olga") as connection:
        check()


WHOLE: dict[str, Any] = json.loads(request("0.1").text)


# What Python reads, and never writes.
READ: list[dict[str, Any]] = [{"relation": ""}, {"epsilon": 0.1}, {"epsilon": "1e3"}]


@pytest.mark.parametrize(
    "values",
    [
        {"epsilon": 0.1}, {"epsilon": "-1"}, {"epsilon": "1e3"}, {"epsilon": "2000000000000"},
        {"epsilon": "NaN"}, {"delta": "1"}, {"own_epsilon": -0.5}, {"own_epsilon": "1"},
        {"own_epsilon": 1e13}, {"own_delta": 1.0}, {"alpha": 0}, {"alpha": None}, {"alpha": True},
        {"private": "x"}, {"private": "0:" + "a" * 64}, {"private": "1:" + "a" * 63},
        {"private": "1" * 19 + ":" + "a" * 64}, {"relation": ""}, {"relation": "some:1:1:a"},
        {"mechanism": 1}, {"mechanism": "x" * 1001}, {"size": -1}, {"size": 1.5},
        {"size": 2**53 + 1}, {"tries": 0}, {"exponent": 6000}, {"exponent": "1"}, {"scale": "1"},
        {"more": 1},
    ],
)  # fmt: skip
def test_what_python_would_not_read_back_is_refused(shared: Team, values: dict[str, Any]) -> None:
    text = json.dumps(WHOLE | values, sort_keys=True, separators=(",", ":"))
    if values not in READ:
        with pytest.raises(InputError):
            _ = Request.read(text).charge
    with shared.sql("olga") as connection, pytest.raises(psycopg.Error) as refused:
        connection.execute(f"SELECT {shared.schema}.cost(%s)", (text,))
    assert refused.value.sqlstate == "PV001"


def test_a_relation_whose_alpha_is_no_number_is_refused(shared: Team) -> None:
    """By both: Python builds no such request, and the server takes none."""
    digest = PRIVATE.partition(":")[2]
    sound = request("0.1", relation=f"each:3:0.5:{digest}").text
    text = sound.replace("each:3:0.5:", "each:3:1e+-.:")
    with pytest.raises(InputError):
        _ = Request.read(text)
    with shared.sql("olga") as connection, pytest.raises(psycopg.Error, match="double precision"):
        connection.execute(f"SELECT {shared.schema}.cost(%s)", (text,))


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "{", request("0.1").text + " "])
def test_what_is_no_text_of_a_request_is_refused(shared: Team, text: str) -> None:
    with shared.sql("olga") as connection, pytest.raises(psycopg.Error, match="none of privopt"):
        connection.execute(f"SELECT {shared.schema}.cost(%s)", (text,))
