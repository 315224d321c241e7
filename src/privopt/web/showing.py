"""A view as plain data: what the browser shows of a rehearsal, a look or a release."""

from __future__ import annotations

from typing import Any

from privopt.show.view import View

__all__ = ["shown"]

_DIGITS = 6


def shown(view: View) -> dict[str, Any]:
    """Title, warnings, facts, a table as texts, notes and claims; of a private one it says so."""
    table = view.table
    return {
        "title": view.title,
        "private": view.private,
        "warnings": list(view.warnings),
        "facts": [{"name": one.name, "text": one.text} for one in view.facts],
        "table": {
            "title": table.title,
            "columns": [table.index, *table.columns],
            "rows": table.cells(view.shown, digits=_DIGITS),
            "left_out": view.left_out,
        }
        if len(table)
        else None,
        "notes": list(view.notes),
        "claims": [{"claim": claim, "because": list(why)} for claim, why in view.claims],
    }
