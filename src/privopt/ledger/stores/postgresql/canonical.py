"""The canonical text of a row in SQL, and its digest: those that `row.digest_of` makes.

    {"delta":"0","epsilon":"0",...,"previous":{"hex":"00..."},"seq":1,...}

Sorted names, no spaces, ASCII; a value that is missing does not enter. The columns of the table
follow `row.Row`, and so does the text.
"""

from __future__ import annotations

from dataclasses import fields

from privopt.ledger.row import AMOUNTS, COLUMNS, SHARE, THINGS, Row

__all__ = ["DIGEST", "JSON", "TYPES"]

_TYPES = {"int": "bigint", "str": "text", "bytes": "bytea"}
TYPES = {item.name: _TYPES[str(item.type).partition(" ")[0]] for item in fields(Row)}

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
    if name in (*AMOUNTS, *SHARE, "kind"):  # letters and digits, by the rules before
        return f"""'"{name}":"' || {value} || '"'"""
    if name == "releaser":
        value = f"sha256(convert_to({value}, 'UTF8'))"
    shown = {
        "bigint": f"{value}::text",
        "bytea": f"""'{{"hex":"' || encode({value}, 'hex') || '"}}'""",
        "text": f"SCHEMA.json({value})",
    }["bytea" if name == "releaser" else TYPES[name]]
    return f"""'"{name}":' || {shown}"""


_CHAINED = sorted(name for name in COLUMNS if name not in ("digest", *THINGS))
_PARTS = ",\n        ".join(map(_text, _CHAINED))
DIGEST = f"""
BEGIN
    RETURN sha256(convert_to('{{' || concat_ws(',',
        {_PARTS}) || '}}', 'UTF8'));
END
"""
