"""Is a file of data a table of rows, or has it a number for each entry?

    bus,customer,load (MW)        a table: its first line names columns (or it is Parquet)
    name,value                    a number for each entry, as `init` writes them; or JSON

Decided by the first line alone, and never by a number in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privopt.adapters.table_columns import ROLES, header_unit
from privopt.adapters.table_rows import check_text
from privopt.app.values import is_number

__all__ = ["is_table"]


def is_table(path: str, reading: Mapping[str, Any]) -> bool:
    """Whether a file is a table of rows, and not lines of name,value or JSON."""
    try:
        with Path(path).open("rb") as file:
            start = file.read(4096)
    except (OSError, ValueError):
        return False  # what reads it says why
    if start[:4] == b"PAR1" or reading.get("columns"):
        return True
    check_text(path)
    first = next((line for line in start.decode("utf-8-sig", "replace").splitlines() if line), "")
    if first.lstrip()[:1] in ("[", "{"):
        return False
    cells = [cell.strip().casefold() for cell in first.split(",")]
    if is_number(cells[-1]) or (
        len(cells) == 2 and cells[0] in ROLES["name"] and cells[1] == "value"
    ):
        return False  # no first line of names, or the form that `init` writes
    if len(cells) != 2:
        return len(cells) > 2 or ";" in first or "\t" in first
    return any(header_unit(cells[0])[0] in ROLES[role] for role in ("bus", "customer", "time")) or (
        header_unit(cells[1])[1] is not None
    )
