"""The rules of a row in SQL: what must hold before the server takes one, whoever brings it.

A trigger checks every new row of `entries` against the last one, which `head` names and a row lock
guards, so that writers queue:

    seq_n = seq_(n-1) + 1,   previous_n = digest_(n-1),   digest_n = SHA-256(text of row n)
    spent_n = spent_(n-1) + charge_n <= limit,            charge_n = cost of its request

The text is `canonical`, the cost that of `requests`, the shares are those of `share`. Whoever is
no member of the ledger's owner may write charges, and outputs of own charges, only; a releaser is
the role that logged in.
"""

from __future__ import annotations

from privopt.ledger.form import KINDS
from privopt.ledger.row import AMOUNTS, COLUMNS, SHARE, THINGS
from privopt.ledger.stores.postgresql.canonical import TYPES
from privopt.ledger.stores.postgresql.rules import ZERO, amount, must
from privopt.ledger.stores.postgresql.share import QUOTA, RULES

__all__ = ["CHANGE", "ENTRY", "HOME"]

# 16 bytes that say where the rows are: others for a dump that was restored.
HOME = """substring(sha256(convert_to(concat_ws(' ',
    (SELECT system_identifier FROM pg_control_system()),
    (SELECT oid FROM pg_database WHERE datname = current_database()),
    (SELECT oid FROM pg_namespace WHERE nspname = 'NAME')), 'UTF8')) FOR 16)"""


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
                       "previous": 32, "digest": 32}.items()
)  # fmt: skip
_TIME = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"

_ALWAYS = "".join(
    (
        must(
            "before.kind IS DISTINCT FROM 'closed' OR NEW.kind = 'moved'",
            "the ledger was closed: it goes on elsewhere",
        ),
        must(
            "NEW.seq = top.seq + 1 AND NEW.previous = top.digest",
            "it does not follow the last row",
        ),
        must(
            f"NEW.kind IN ({', '.join(repr(kind) for kind in KINDS)}) "
            "AND (NEW.kind = 'opened') = (NEW.seq = 1)",
            "its kind is none of a ledger",
        ),
        must(
            "own OR NEW.kind <> 'moved'",
            "the ledger was restored elsewhere: its owner must write to it first, once",
            "PV002",
        ),
        must("own OR NEW.kind IN ('charge', 'output')", "its kind is the owner''s", "PV002"),
        must(
            " AND ".join(
                [amount(name) for name in AMOUNTS]
                + [f"(NEW.{name} IS NULL OR ({amount(name)}))" for name in SHARE]
            ),
            "an amount is out of range",
        ),
        must("NEW.digest = SCHEMA.digest(NEW)", "its digest is not that of its values"),
        must(_SIZES, "a digest has not the size of one"),
        must("length(NEW.time) <= 40 OR NEW.time IS NULL", "its time is too long"),
        must(
            f"own OR (NEW.kind = 'output' AND NEW.time IS NULL) OR (NEW.time ~ '{_TIME}' "
            "AND abs(extract(epoch FROM NEW.time::timestamptz - clock_timestamp())) < 86400)",
            "its time is not that of the server, within a day",
        ),
        must(
            " AND ".join(map(_hashed, THINGS)), "a digest is not that of its key, request or output"
        ),
        must(
            " AND ".join(
                f"NEW.spent_{name}::numeric = coalesce(before.spent_{name}, '0')::numeric "
                f"+ NEW.{name}::numeric"
                for name in ("epsilon", "delta")
            ),
            "what is spent is not the sum of the charges",
        ),
        must(
            "(NEW.limit_epsilon, NEW.limit_delta) = (before.limit_epsilon, before.limit_delta) "
            "OR (own AND NEW.kind IN ('opened', 'limit'))",
            "the limit is set by the owner, in a row of its own",
            "PV002",
        ),
        must(
            "NEW.home IS NOT DISTINCT FROM before.home "
            "OR (own AND NEW.kind IN ('opened', 'moved'))",
            "the ledger was restored elsewhere: its owner must write to it first, once",
            "PV002",
        ),
        must(
            f"own OR NEW.home = {HOME}",
            "the ledger was restored elsewhere: its owner must write to it first, once",
            "PV002",
        ),
    )
)
_CHARGE = "".join(
    (
        must("NEW.of IS NULL AND NEW.output_digest IS NULL", "a charge has no output yet"),
        must(
            "own OR NEW.releaser = session_user::text",
            "its releaser is not the role that logged in",
            "PV002",
        ),
        must(
            "NEW.request_digest IS NOT NULL "
            "AND (NEW.key IS NULL OR length(NEW.key) BETWEEN 1 AND 200)",
            "its key or request is missing or too long",
        ),
        must(
            f"({ZERO}) OR (NEW.spent_epsilon::numeric <= NEW.limit_epsilon::numeric "
            "AND NEW.spent_delta::numeric <= NEW.limit_delta::numeric)",
            "it does not fit what is left of the limit",
        ),
    )
)
_ASKED = "".join(
    (
        must(
            "NEW.epsilon::numeric = cost[1] AND NEW.delta::numeric = cost[2]",
            "it charges something else than its request costs",
        ),
        must(
            "(top.alpha IS NULL OR (top.alpha, top.relation) = (said_alpha, said_relation)) "
            "AND (top.private IS NULL OR top.private = said_private)",
            "its request speaks of other neighbours than the ledger",
        ),
    )
)
_OUTPUT = must(
    f"{ZERO} AND NEW.output_digest IS NOT NULL "
    "AND NEW.key_digest IS NULL AND NEW.request_digest IS NULL "
    "AND EXISTS (SELECT FROM SCHEMA.entries WHERE seq = NEW.of AND kind = 'charge' "
    "AND (own OR releaser = session_user::text))",
    "it is no output of a charge, or that of a charge of others",
)
_OTHER = must(
    f"{ZERO} AND NEW.of IS NULL AND NEW.key_digest IS NULL AND NEW.output_digest IS NULL",
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
{RULES}
    IF NEW.kind = 'charge' THEN
{_CHARGE}
        IF NEW.request IS NOT NULL THEN
            cost := SCHEMA.cost(NEW.request);
            asked := NEW.request::jsonb;
        END IF;
    ELSIF NEW.kind = 'output' THEN
{_OUTPUT}
    ELSE
{_OTHER}
        IF NEW.kind = 'quota' THEN
{QUOTA}
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
    RAISE EXCEPTION USING ERRCODE = 'PV001',
        MESSAGE = 'rows of a ledger are never changed or removed';
END
"""
