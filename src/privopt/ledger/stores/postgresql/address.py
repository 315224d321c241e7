"""The address of a ledger on PostgreSQL, with its secrets kept apart from what is shown.

    postgresql://user@host:port/database?ledger=NAME

It is an address of libpq with one more parameter: NAME is the schema that holds the ledger
(`ledger` unless given). Everything else goes to libpq, which also reads PGPASSWORD, `.pgpass` and
services. A password in the address is used and never shown: `place`, by which the ledger is opened
again, is the address without it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from privopt.errors import InputError

__all__ = ["Address"]

_SCHEMA = re.compile(r"(?!pg_)[a-z][a-z0-9_]{0,54}")
_SECRET = re.compile(r"password|secret|token")
DEFAULT = "ledger"


@dataclass(frozen=True)
class Address:
    """Where a ledger is, as it is shown, and as libpq is told.

    Attributes
    ----------
    place
        The whole address without secrets.
    schema
        The schema of the ledger.
    target
        What libpq is given; it may hold a password, and is never shown.
    secrets
        What must not be shown.
    """

    place: str
    schema: str
    target: str = field(repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def quoted(self) -> str:
        """The schema as SQL names it: it may be a word of SQL's own."""
        return f'"{self.schema}"'

    @classmethod
    def read(cls, text: str, default: str = DEFAULT) -> Address:
        """The parts of an address; what is wrong with one is said without showing it."""
        try:
            parts = urlsplit(text)
            given = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        except ValueError:
            raise _malformed("it cannot be read") from None
        if parts.fragment or "@" in parts.path or parts.netloc.count("@") > 1:
            raise _malformed("user, password, host or database hold characters such as @, / or #")
        names = [value for name, value in given if name == "ledger"]
        schema = names[0] if names else default
        if len(names) > 1 or not _SCHEMA.fullmatch(schema):
            raise InputError(
                "the address of the ledger names no ledger as PostgreSQL can keep it.",
                "?ledger=NAME, once, with 1 to 55 small letters, digits and _, a letter first.",
                "choose a name such as loads_2026.",
            )
        others = [(name, value) for name, value in given if name != "ledger"]
        person, at, host = parts.netloc.rpartition("@")
        user, _, password = person.partition(":")
        secrets = [unquote(password), *(value for name, value in others if _SECRET.search(name))]
        head = f"postgresql://{user}{at if user else ''}{host}{parts.path}"
        open_ones = [(name, value) for name, value in others if not _SECRET.search(name)]
        return cls(
            place=f"{head}?{_query([*open_ones, ('ledger', schema)])}",
            schema=schema,
            target=f"postgresql://{parts.netloc}{parts.path}"
            + (f"?{_query(others)}" if others else ""),
            secrets=tuple(secret for secret in secrets if secret),
        )


def _query(given: list[tuple[str, str]]) -> str:
    return urlencode(given, quote_via=quote, safe="/:,")  # libpq takes + for itself, not a space


def _malformed(what: str) -> InputError:
    return InputError(
        f"the address of the ledger is malformed: {what}.",
        "postgresql://user@host:port/database?ledger=NAME.",
        "write characters such as @, / and # of a name or a password as %40, %2F and %23, or leave "
        "the password to PGPASSWORD or .pgpass.",
    )
