"""A request in SQL: what it may look like, and what it costs, exactly.

    charge = ceil(max(asked, own))     in units of 10^-30 (epsilon) and 10^-60 (delta)

as `ledger.request` has it. `asked` is a decimal, and `own` a float that stands for the binary
fraction m 2^k that it is; PostgreSQL's `numeric` holds both without rounding, because
m 2^-k = m 5^k 10^-k.

Only texts that `Request.text` writes are taken, by a pattern of all its parameters in their order:
what Python would not read back would stop everyone who reads the ledger.
"""

from __future__ import annotations

from dataclasses import fields

from privopt.ledger.budget import DELTA_UNITS, EPSILON_UNITS, LARGEST
from privopt.ledger.request import Request

__all__ = ["COST", "EXACT", "PATTERN"]

# Without counts of repetitions, which PostgreSQL unrolls: `COST` checks the lengths.
_NUMBER = r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e[+-]?[0-9][0-9]?[0-9]?)?"
_DECIMAL = r'"[0-9]+(?:\.[0-9]+)?(?:e-[0-9][0-9]?)?"'
_TEXT = r'"(?:[ !#-\[\]-~]|\\["\\bfnrt]|\\u[0-9a-f][0-9a-f][0-9a-f][0-9a-f])*"'
_WHOLE = "(?:0|[1-9][0-9]*)"
_FORMS = {
    "alpha": _NUMBER,
    "delta": _DECIMAL,
    "epsilon": _DECIMAL,
    "exponent": "(?:null|0|-?[1-9][0-9]?[0-9]?[0-9]?)",
    "mechanism": _TEXT,
    "noise": _TEXT,
    "own_delta": f"(?:null|{_NUMBER})",
    "own_epsilon": f"(?:null|{_NUMBER})",
    "private": '"[1-9][0-9]*:[0-9a-f]+"',
    "provenance": _TEXT,
    "query": _TEXT,
    "relation": '"(?:each|total):[0-9]+:[0-9][0-9.e+-]*:[0-9a-f]+"',
    "scale": _NUMBER,
    "sensitivity": _NUMBER,
    "size": _WHOLE,
    "subject": _TEXT,
    "tries": _WHOLE,
}


def _pattern() -> str:
    """All parameters in their order; the relation where it is not the plain one."""
    parts = [
        (f'(?:,"{name}":{_FORMS[name]})?' if name == "relation" else f',"{name}":{_FORMS[name]}')
        for name in sorted(item.name for item in fields(Request))
    ]
    return "^{" + "".join(parts).removeprefix(",") + "}$"


PATTERN = _pattern()
_TEXTS = [name for name, form in _FORMS.items() if form is _TEXT]
_SHORT = "\n        AND ".join(f"length(asked ->> '{name}') <= 1000" for name in _TEXTS)

# The binary fraction that a float is, without rounding.
EXACT = """
DECLARE
    bits bigint := ('x' || encode(float8send(given::float8), 'hex'))::bit(64)::bigint;
    exponent int := (bits >> 52) & 2047;
    whole numeric := bits & ((1::bigint << 52) - 1);
BEGIN
    IF exponent = 0 THEN
        exponent := 1;
    ELSE
        whole := whole + 4503599627370496;
    END IF;
    IF exponent >= 1075 THEN
        RETURN whole * 2::numeric ^ (exponent - 1075);
    END IF;
    RETURN whole * 5::numeric ^ (1075 - exponent) * ('1e-' || (1075 - exponent))::numeric;
END
"""

# Epsilon and delta of a request, in units.
COST = f"""
DECLARE
    asked jsonb;
    epsilon numeric;
    delta numeric;
BEGIN
    IF (length(request) <= 100000 AND request ~ '{PATTERN}') IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'PV001', MESSAGE = 'its request is none of privopt''s';
    END IF;
    asked := request::jsonb;
    epsilon := greatest((asked ->> 'epsilon')::numeric, SCHEMA.exact(asked ->> 'own_epsilon'));
    delta := greatest((asked ->> 'delta')::numeric, SCHEMA.exact(asked ->> 'own_delta'));
    IF (epsilon <= {LARGEST} AND delta < 1
        AND (asked ->> 'alpha')::float8 > 0
        AND (asked ->> 'scale')::float8 >= 0 AND (asked ->> 'sensitivity')::float8 >= 0
        AND (asked ->> 'size')::numeric <= 9007199254740992
        AND (asked ->> 'tries')::numeric BETWEEN 1 AND 9007199254740992
        AND coalesce((asked ->> 'exponent')::int, 0) BETWEEN -5000 AND 5000
        AND length(asked ->> 'epsilon') <= 80 AND length(asked ->> 'delta') <= 80
        AND length(split_part(asked ->> 'private', ':', 1)) <= 18
        AND length(split_part(asked ->> 'private', ':', 2)) = 64
        AND (asked ->> 'relation' IS NULL OR (
            length(split_part(asked ->> 'relation', ':', 2)) <= 18
            AND length(split_part(asked ->> 'relation', ':', 3)) <= 31
            AND split_part(asked ->> 'relation', ':', 3)::float8 >= 0
            AND length(split_part(asked ->> 'relation', ':', 4)) = 64))
        AND {_SHORT}) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'PV001', MESSAGE = 'its request is out of range';
    END IF;
    RETURN ARRAY[ceil(epsilon * {EPSILON_UNITS}::numeric), ceil(delta * {DELTA_UNITS}::numeric)];
END
"""
