"""The files that a job reads: none is written over, and the private ones do not become public."""

from __future__ import annotations

from pathlib import Path

from privopt.app.options import schema
from privopt.app.schema import Form
from privopt.app.tree import Tree
from privopt.errors import InputError
from privopt.files import same_file

__all__ = ["check_domain_is_public", "inputs_of"]


def inputs_of(tree: Tree, file: str | Path | None) -> tuple[str, ...]:
    """The files that a job names, but for those that it writes; the ledger is among them."""
    read = (Form.FILE, Form.BOUNDS)
    entries = ((key, tree.get(key.section, {}).get(key.name)) for key in schema().keys)
    named = [value for key, value in entries if key.kind in read and isinstance(value, str)]
    place = tree.get("ledger", {}).get("path")
    return (
        *([] if file is None else [str(file)]),
        *named,
        *([] if place is None else [str(place.path)]),
    )


def check_domain_is_public(tree: Tree) -> None:
    """Refuse a domain whose bounds are the private data themselves."""
    data = tree.get("data", {}).get("file")
    for end in ("lower", "upper"):
        bound = tree.get("domain", {}).get(end)
        if isinstance(data, str) and isinstance(bound, str) and same_file(data, bound):
            raise InputError(
                f"[domain] {end} is {bound}, the file of the private data.",
                "bounds that are public: they stand in the policy, whose file is published.",
                "write bounds that do not come from the data. If these data may be published, say "
                "so: --data-are-public.",
            )
