"""Networks from MATPOWER case files. Active DC lines are refused."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from privopt.errors import InputError
from privopt.networks.casefile import read_tables, unreadable
from privopt.networks.network import Network
from privopt.networks.tables import build

__all__ = ["read"]


def read(path: Path) -> Network:
    """A network from a MATPOWER case file."""
    tables = read_tables(path)
    lines = 0 if tables.dcline is None else int((tables.dcline["BR_STATUS"] > 0).sum())
    if lines:
        raise InputError(
            f"{path.name} has {lines} DC lines in service.",
            "a network of buses, AC branches and generators.",
            "set their status to 0, and put what they carry into the demands of their ends.",
        )
    return build(path.stem.removeprefix("pglib_opf_case"), tables, partial(unreadable, path))
