"""The rules of a row in SQL: what must hold before the server takes one, whoever brings it.

A trigger checks every new row of `entries` against the last one, which `head` names and a row lock
guards, so that writers queue:

    seq_n = seq_(n-1) + 1,   previous_n = digest_(n-1),   digest_n = SHA-256(canonical text of row n)
    spent_n = spent_(n-1) + charge_n <= limit,            charge_n = cost of its request

The text is the one that `row.digest_of` makes. A rule that is not true (null too) refuses the row.
Whoever is no member of the ledger's owner may write charges, and outputs of own charges, only. The
shares of releasers and purposes follow the rules of `quota`; a releaser is the one that logged in.
"""

from __future__ import annotations

from dataclasses import fields

from privopt.ledger.budget import DELTA_UNITS, EPSILON_UNITS, LARGEST
from privopt.ledger.form import KINDS, LONGEST_NAME
from privopt.ledger.row import AMOUNTS, BY, COLUMNS, SHARES, THINGS, Row
from privopt.ledger.stores.postgresql.requests import PATTERN

__all__ = ["CHANGE", "DIGEST", "ENTRY", "HOME", "JSON", "TYPES"]

_TYPES = {"int": "bigint", "str": "text", "bytes": "bytea"}
TYPES = {item.name: _TYPES[str(item.type).partition(" ")[0]] for item in fields(Row)}
_MOST = {"epsilon": LARGEST * EPSILON_UNITS, "delta": DELTA_UNITS}
_ZERO = " AND ".join(f"NEW.{name} = '0'" for name in ("epsilon", "delta"))

# 16 bytes that say where the rows are: others for a dump that was restored.
HOME = """substring(sha256(convert_to(concat_ws(' ',
    (SELECT system_identifier FROM pg_control_system()),
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    (SELECT oid FROM pg_namespace WHERE nspname = 'NAME')), 'UTF8')) FOR 16)"""

# Text as JSON writes it in ASCII: code points beyond 16 bits as two halves.
JSON = r"""
BEGIN
    IF given ~ '^[ !#-\[\]-~]*$' THEN
        RETURN '"' || given || '"';
    END IF;
    RETURN (SELECT '"' || coalesce(string_agg(CASE
        WHEN letter = '"' THEN '\"'
        WHEN letter = chr(92) THEN '\\'
        WHEN code BETWEEN 32 AND 126 THEN letter
        WHEN code = 8 THEN '\b' WHEN code = 9 THEN '\t' WHEN code = 10 THEN '\n'
        WHEN code = 12 THEN '\f' WHEN code = 13 THEN '\r'
        WHEN code < 65536 THEN '\u' || lpad(to_hex(code), 4, '0')
        ELSE '\u' || to_hex(55296 + ((code - 65536) >> 10))
            || '\u' || to_hex(56320 + ((code - 65536) & 1023))
    END, '' ORDER BY place), '') || '"'
    FROM (SELECT letter, ascii(letter) AS code, place
          FROM string_to_table(given, NULL) WITH ORDINALITY AS split (letter, place)) AS letters);
END
"""


def _text(name: str) -> str:
    """The part of a value in the canonical text; null, which leaves it out, if it is missing."""
    value = f'given."{name}"'
    if name in (*AMOUNTS, *SHARES, "kind"):  # letters and digits, by the rules before
        return f"""'"{name}":"' || {value} || '"'"""
    shown = {
        "bigint": f"{value}::text",
        "bytea": f"""'{{"hex":"' || encode({value}, 'hex') || '"}}'""",
        "text": f"SCHEMA.json({value})",
    }[TYPES[name]]
    return f"""'"{name}":' || {shown}"""


_CHAINED = sorted(name for name in COLUMNS if name not in ("digest", *THINGS))
_PARTS = ",\n        ".join(map(_text, _CHAINED))
DIGEST = f"""
BEGIN
    RETURN sha256(convert_to('{{' || concat_ws(',',
        {_PARTS}) || '}}', 'UTF8'));
END
"""


def _must(holds: str, otherwise: str, code: str = "PV001") -> str:
    return f"""    IF ({holds}) IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = '{code}', MESSAGE = '{otherwise}';
    END IF;
"""


def _amount(name: str) -> str:
    most = _MOST[name.rpartition("_")[2]]
    return f"NEW.{name} ~ '^(?:0|[1-9][0-9]{{0,60}})$' AND NEW.{name}::numeric <= {most}"


def _hashed(name: str) -> str:
    """Whether a thing has its digest; the owner may bring a row whose thing was blanked."""
    content = f"NEW.{name}" if TYPES[name] == "bytea" else f"convert_to(NEW.{name}, 'UTF8')"
    return (
        f"CASE WHEN NEW.{name} IS NULL THEN own OR NEW.{name}_digest IS NULL "
        f"ELSE NEW.{name}_digest = sha256({content}) END"
    )


_SIZES = " AND ".join(
    f"coalesce(octet_length(NEW.{name}), {size}) = {size}"
    for name, size in {"key_digest": 32, "request_digest": 32, "output_digest": 32, "home": 16,
                       "legacy": 32, "previous": 32, "digest": 32}.items()
)  # fmt: skip
_TIME = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"

_ALWAYS = "".join(
    (
        _must(
            "before.kind IS DISTINCT FROM 'closed' OR NEW.kind = 'moved'",
            "the ledger was closed: it goes on elsewhere",
        ),
        _must(
            "NEW.seq = top.seq + 1 AND NEW.previous = top.digest",
            "it does not follow the last row",
        ),
        _must(
            f"NEW.kind IN ({', '.join(repr(kind) for kind in KINDS)}) "
            "AND (NEW.kind = 'opened') = (NEW.seq = 1)",
            "its kind is none of a ledger",
        ),
        _must(
            "own OR NEW.kind <> 'moved'",
            "the ledger was restored elsewhere: its owner must write to it first, once",
            "PV002",
        ),
        _must("own OR NEW.kind IN ('charge', 'output')", "its kind is the owner''s", "PV002"),
        _must(
            " AND ".join(
                [_amount(name) for name in AMOUNTS]
                + [f"(NEW.{name} IS NULL OR ({_amount(name)}))" for name in SHARES]
            ),
            "an amount is out of range",
        ),
        _must("NEW.digest = SCHEMA.digest(NEW)", "its digest is not that of its values"),
        _must(_SIZES, "a digest has not the size of one"),
        _must("length(NEW.time) <= 40 OR NEW.time IS NULL", "its time is too long"),
        _must(
            f"own OR (NEW.kind = 'output' AND NEW.time IS NULL) OR (NEW.time ~ '{_TIME}' "
            "AND abs(extract(epoch FROM NEW.time::timestamptz - clock_timestamp())) < 86400)",
            "its time is not that of the server, within a day",
        ),
        _must(
            " AND ".join(map(_hashed, THINGS)), "a digest is not that of its key, request or output"
        ),
        _must("own OR NEW.legacy IS NULL", "it claims to be of an older format", "PV002"),
        _must(
            " AND ".join(
                f"NEW.spent_{name}::numeric = coalesce(before.spent_{name}, '0')::numeric "
                f"+ NEW.{name}::numeric"
                for name in ("epsilon", "delta")
            ),
            "what is spent is not the sum of the charges",
        ),
        _must(
            "(NEW.limit_epsilon, NEW.limit_delta) = (before.limit_epsilon, before.limit_delta) "
            "OR (own AND NEW.kind IN ('opened', 'limit'))",
            "the limit is set by the owner, in a row of its own",
            "PV002",
        ),
        _must(
            "NEW.home IS NOT DISTINCT FROM before.home OR (own AND NEW.kind IN ('opened', 'moved', 'migrated'))",
            "the ledger was restored elsewhere: its owner must open it there first, once",
            "PV002",
        ),
        _must(
            f"own OR NEW.home = {HOME}",
            "the ledger was restored elsewhere: its owner must write to it first, once",
            "PV002",
        ),
    )
)
# Letters that every version of Unicode since 5 can print; a name of others is the owner's to bring.
_LETTERS = (
    r" -~\u00A1-\u00AC\u00AE-\u024F\u0386\u0388-\u038A\u038C\u038E-\u03A1\u03A3-\u03CE\u0400-\u0481"
    r"\u05D0-\u05EA\u0621-\u063A\u0641-\u064A\u0905-\u0939\u3041-\u3096\u30A1-\u30FA\u4E00-\u9FA5"
    r"\uAC00-\uD7A3"
)


def _share(by: str) -> str:
    """The rules of a releaser, or a purpose; `was` becomes the last row that names it."""
    parts = ("epsilon", "delta")
    held = [name for name in SHARES if name.startswith(by)]
    limit = held[2:]
    nothing = " AND ".join(f"NEW.{name} IS NULL" for name in held)
    added = " AND ".join(
        f"NEW.{by}_spent_{part}::numeric = coalesce(was.{by}_spent_{part}, '0')::numeric "
        f"+ NEW.{part}::numeric"
        for part in parts
    )
    same = " AND ".join(f"NEW.{name} IS NOT DISTINCT FROM was.{name}" for name in limit)
    within = " AND ".join(
        f"NEW.{by}_spent_{part}::numeric <= NEW.{by}_limit_{part}::numeric" for part in parts
    )
    count = f"coalesce(before.{by}s, 0)"
    return "".join(
        (
            f"    was := NULL;\n    IF NEW.{by} IS NOT NULL THEN\n"
            f"        SELECT * INTO was FROM SCHEMA.entries WHERE {by} = NEW.{by} "  # noqa: S608
            "ORDER BY seq DESC LIMIT 1;\n    END IF;\n",
            _must(
                f"CASE WHEN NEW.{by} IS NULL THEN {nothing} "
                f"ELSE NEW.kind IN ('charge', 'quota') AND {added} "
                f"AND (NEW.{limit[0]} IS NULL) = (NEW.{limit[1]} IS NULL) "
                f"AND (NEW.kind = 'quota' OR ({same})) END",
                f"what it says of its {by} does not follow",
            ),
            _must(
                f"NEW.{by} IS NULL OR own OR was.{by} IS NOT NULL "
                f"OR NEW.{by} ~ '^[{_LETTERS}]{{1,{LONGEST_NAME}}}$'",
                f"the name of its {by} is too long, or holds letters that are not common",
            ),
            _must(
                f"coalesce(NEW.{by}s, 0) = {count} + CASE WHEN NEW.kind = 'quota' "
                f"AND NEW.{by} IS NOT NULL AND was.{limit[0]} IS NULL THEN 1 ELSE 0 END "
                f"AND NEW.{by}s IS DISTINCT FROM 0",
                f"the number of {by}s with a quota does not follow",
            ),
            _must(
                f"({_ZERO}) OR CASE WHEN NEW.{limit[0]} IS NULL THEN {count} = 0 ELSE {within} END",
                f"it does not fit the quota of its {by}, or names none that has one",
            ),
        )
    )


_SHARES = "".join(map(_share, BY))
_QUOTA = _must(
    "(NEW.releaser IS NULL) <> (NEW.purpose IS NULL) "
    "AND coalesce(NEW.releaser_limit_epsilon, NEW.purpose_limit_epsilon) IS NOT NULL",
    "a quota is that of one name",
)
_CHARGE = "".join(
    (
        _must("NEW.of IS NULL AND NEW.output_digest IS NULL", "a charge has no output yet"),
        _must(
            "own OR NEW.releaser = session_user::text",
            "its releaser is not the role that logged in",
            "PV002",
        ),
        _must(
            "NEW.request_digest IS NOT NULL "
            "AND (NEW.key IS NULL OR length(NEW.key) BETWEEN 1 AND 200)",
            "its key or request is missing or too long",
        ),
        _must(
            f"({_ZERO}) OR (NEW.spent_epsilon::numeric <= NEW.limit_epsilon::numeric "
            "AND NEW.spent_delta::numeric <= NEW.limit_delta::numeric)",
            "it does not fit what is left of the limit",
        ),
    )
)
_ASKED = "".join(
    (
        _must(
            "NEW.epsilon::numeric = cost[1] AND NEW.delta::numeric = cost[2]",
            "it charges something else than its request costs",
        ),
        _must(
            "(top.alpha IS NULL OR (top.alpha, top.relation) = (said_alpha, said_relation)) "
            "AND (top.private IS NULL OR top.private = said_private)",
            "its request speaks of other neighbours than the ledger",
        ),
    )
)
_OUTPUT = _must(
    f"{_ZERO} AND NEW.output_digest IS NOT NULL "
    "AND NEW.key_digest IS NULL AND NEW.request_digest IS NULL "
    "AND EXISTS (SELECT FROM SCHEMA.entries WHERE seq = NEW.of AND kind = 'charge' "
    "AND (own OR releaser = session_user::text))",
    "it is no output of a charge, or that of a charge of others",
)
_OTHER = _must(
    f"{_ZERO} AND NEW.of IS NULL AND NEW.key_digest IS NULL AND NEW.output_digest IS NULL",
    "a row of its kind charges nothing and has no key or output",
)

# Before a row is inserted.
ENTRY = f"""
DECLARE
    own boolean := pg_has_role(session_user,
        (SELECT nspowner FROM pg_namespace WHERE nspname = 'NAME'), 'MEMBER');
    top SCHEMA.head;
    before SCHEMA.entries;
    was SCHEMA.entries;
    asked jsonb;
    cost numeric[];
    said_alpha float8;
    said_private text;
    said_relation text;
BEGIN
    SELECT * INTO STRICT top FROM SCHEMA.head FOR UPDATE;
    SELECT * INTO before FROM SCHEMA.entries WHERE seq = top.seq;
{_ALWAYS}
{_SHARES}
    IF NEW.kind = 'charge' THEN
{_CHARGE}
        IF NEW.request IS NOT NULL THEN
            -- What an owner brings from an older version may say less.
            IF NOT own OR NEW.request ~ '{PATTERN}' THEN
                cost := SCHEMA.cost(NEW.request);
            END IF;
            asked := NEW.request::jsonb;
        END IF;
    ELSIF NEW.kind = 'output' THEN
{_OUTPUT}
    ELSE
{_OTHER}
        IF NEW.kind = 'quota' THEN
{_QUOTA}
        END IF;
        IF NEW.kind = 'opened' THEN
            asked := NEW.request::jsonb;
        END IF;
    END IF;
    said_alpha := (asked ->> 'alpha')::float8;
    said_private := asked ->> 'private';
    said_relation := coalesce(asked ->> 'relation', '');
    IF cost IS NOT NULL THEN
{_ASKED}
    END IF;
    UPDATE SCHEMA.head AS it SET
        seq = NEW.seq,
        digest = NEW.digest,
        relation = CASE WHEN it.alpha IS NULL THEN said_relation ELSE it.relation END,
        alpha = coalesce(it.alpha, said_alpha),
        private = coalesce(it.private, said_private);
    RETURN NEW;
END
"""  # noqa: S608

_KEPT = ", ".join(f'NEW."{name}"' for name in COLUMNS if name not in THINGS)
_OLD = _KEPT.replace("NEW.", "OLD.")
_BLANKED = " AND ".join(
    f"(NEW.{name} IS NULL OR NEW.{name} IS NOT DISTINCT FROM OLD.{name})" for name in THINGS
)
# Before a row is changed or removed, or the head is other than by a new row.
CHANGE = f"""
BEGIN
    IF TG_TABLE_NAME = 'head' THEN
        IF TG_OP = 'UPDATE' AND pg_trigger_depth() > 1 THEN
            RETURN NEW;
        END IF;
    ELSIF TG_OP = 'UPDATE' THEN
        IF ROW({_KEPT}) IS NOT DISTINCT FROM ROW({_OLD}) AND {_BLANKED} THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION USING ERRCODE = 'PV001', MESSAGE = 'rows of a ledger are never changed or removed';
END
"""
