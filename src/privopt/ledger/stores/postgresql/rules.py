"""Rules in SQL: a row is refused where one is not true. Null is not true."""

from __future__ import annotations

from privopt.ledger.budget import DELTA_UNITS, EPSILON_UNITS, LARGEST

__all__ = ["ZERO", "amount", "must"]

_MOST = {"epsilon": LARGEST * EPSILON_UNITS, "delta": DELTA_UNITS}
ZERO = " AND ".join(f"NEW.{name} = '0'" for name in ("epsilon", "delta"))


def must(holds: str, otherwise: str, code: str = "PV001") -> str:
    """The statement that refuses a row, with our code and a sentence, unless something holds."""
    return f"""    IF ({holds}) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = '{code}', MESSAGE = '{otherwise}';
    END IF;
"""


def amount(name: str) -> str:
    """Whether a column of a new row is a whole number of units, written in the one way."""
    most = _MOST[name.rpartition("_")[2]]
    return f"NEW.{name} ~ '^(?:0|[1-9][0-9]{{0,60}})$' AND NEW.{name}::numeric <= {most}"
