"""Networks from MATPOWER case files, whose tables matpowercaseframes reads from a cleaned text.

A case file is a program. What is read here is the kind that assigns numbers: comments, blocks of
comments, continuation lines and several rows on a line are resolved first, and a file that assigns
a table twice, computes one from another or changes it otherwise is refused, because a reader of
tables would misread it in silence. Active DC lines are refused.

One computation is known: MATPOWER's feeders have ohms, kW and kVA in their tables, and end with the
same statements, which turn them into per unit and MW. These are recognised by their text.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain, compress, product
from pathlib import Path

import numpy as np

from privopt.arrays import Dense
from privopt.errors import InputError
from privopt.extra import require
from privopt.networks.network import Network
from privopt.networks.tables import BEYOND, Tables, build, columns, usable
from privopt.recognise import use_of

__all__ = ["read", "read_tables", "unreadable"]

_TABLES = ("bus", "gen", "branch", "dcline")
_FIELDS_THAT_CHANGE_THE_MODEL = ("A", "l", "u", "N", "H", "Cw", "fparm", "storage")
# What MATPOWER's feeders say below their tables, without commas.
_COLUMNS_OF_BUSES = (
    "[PQ PV REF NONE BUS_I BUS_TYPE PD QD GS BS BUS_AREA VM VA BASE_KV ZONE VMAX VMIN LAM_P LAM_Q "
    "MU_VMAX MU_VMIN] = idx_bus;",
)
_OHMS = (
    "[F_BUS T_BUS BR_R BR_X BR_B RATE_A RATE_B RATE_C TAP SHIFT BR_STATUS PF QF PT QT MU_SF MU_ST "
    "ANGMIN ANGMAX MU_ANGMIN MU_ANGMAX] = idx_brch;",
    "Vbase = mpc.bus(1 BASE_KV) * 1e3;",
    "Sbase = mpc.baseMVA * 1e6;",
    "mpc.branch(: [BR_R BR_X]) = mpc.branch(: [BR_R BR_X]) / (Vbase^2 / Sbase);",
)
_KILOWATTS = ("mpc.bus(: [PD QD]) = mpc.bus(: [PD QD]) / 1e3;",)
_POWER_FACTOR = 0.85
_APPARENT = (
    f"pf = {_POWER_FACTOR};",
    "mpc.bus(: QD) = mpc.bus(: PD) * sin(acos(pf));",
    "mpc.bus(: PD) = mpc.bus(: PD) * pf;",
)
_CONVERSIONS = (_OHMS, _KILOWATTS, _APPARENT)
_KNOWN: dict[tuple[str, ...], tuple[bool, ...]] = {  # each choice of conversions, by its text
    (*_COLUMNS_OF_BUSES, *chain(*compress(_CONVERSIONS, taken))): taken
    for taken in product((False, True), repeat=len(_CONVERSIONS))
}


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


def read_tables(path: Path) -> Tables:
    """Read and check the tables of a case file."""
    require("matpowercaseframes", "power", "reading power networks")
    text, conversions = _without_conversions(_plain(path))
    _check_statements(path, text)
    try:
        base = float(re.findall(r"^\s*mpc\.baseMVA\s*=\s*([^;\n]+)", text, re.MULTILINE)[0])
    except (IndexError, ValueError):
        raise unreadable(path, "mpc.baseMVA is missing, or no number") from None
    if not (base > 0 and usable(np.array([base]))):
        raise unreadable(path, f"mpc.baseMVA is {base:g}")
    read = {name: _table(path, text, name) for name in ("gencost", *_TABLES)}
    tables = {name: table for name, table in read.items() if table is not None}
    gencost = tables.get("gencost")
    if gencost is None or gencost.shape[1] < 5:
        raise unreadable(path, "the table mpc.gencost is missing, or too narrow")
    if not usable(gencost[np.isfinite(gencost)]):  # others are refused where they are used
        raise unreadable(path, f"mpc.gencost has a number {BEYOND}")
    for name in ("bus", "gen", "branch"):
        if name not in tables:
            raise unreadable(path, f"the table mpc.{name} is missing, or empty")
    with np.errstate(all="ignore"):  # what is not finite is refused where it is used
        _convert(tables, base, conversions)
    refuse = partial(unreadable, path)
    found = {name: columns(name, tables[name], refuse) for name in _TABLES if name in tables}
    return Tables(base, found["bus"], found["gen"], found["branch"], gencost, found.get("dcline"))


def _without_conversions(text: str) -> tuple[str, tuple[bool, ...]]:
    """The text without the conversions of a feeder, and which of them it has."""
    lines = text.splitlines()
    ends = [k for k, line in enumerate(lines) if re.search(r"[\]}]\s*;?$", line)]
    start = ends[-1] + 1 if ends else 0
    plain, others = list[str](), list[str]()
    for line in lines[start:]:
        assigns = re.fullmatch(r"mpc\.[\w.]+\s*=(?!=)[^()]*", line)
        (plain if assigns else others).append(" ".join(line.split()))
    known = _KNOWN.get(tuple(others))
    if known is None:  # where anything is computed, it is refused
        return text, (False,) * len(_CONVERSIONS)
    return "\n".join([*lines[:start], *plain]) + "\n", known


def _convert(tables: Mapping[str, Dense], base_mva: float, taken: tuple[bool, ...]) -> None:
    """Apply the conversions to the tables, in their place."""
    ohms, kilowatts, apparent = taken
    bus, branch = tables["bus"], tables["branch"]
    if min(bus.shape[1], branch.shape[1]) < 10:
        return  # too narrow to be used
    if ohms:
        branch[:, 2:4] /= (bus[0, 9] * 1e3) ** 2 / (base_mva * 1e6)
    if kilowatts:
        bus[:, 2:4] /= 1e3
    if apparent:
        bus[:, 3] = bus[:, 2] * math.sin(math.acos(_POWER_FACTOR))
        bus[:, 2] *= _POWER_FACTOR


def unreadable(path: Path, why: str) -> InputError:
    """The error of a file that cannot be read; of a file of privopt, what it is."""
    known = use_of(path)
    if known is not None and known[0] != "a case":
        return InputError(
            f"{path.name} is {known[0]}, and no MATPOWER case.",
            "a PGLib name such as '14_ieee', or a MATPOWER case file.",
            f"{known[1]}.",
        )
    return InputError(
        f"{path.name} cannot be read as a MATPOWER case: {why}.",
        "a MATPOWER case file, version 2, with the tables bus, gen, branch and gencost.",
        f"write it anew in MATPOWER: savecase('plain.m', loadcase('{path.stem}'))",
    )


def _computes(path: Path) -> InputError:
    return InputError(
        f"{path.name} computes its data from other data.",
        "plain tables; below them, at most the conversions of MATPOWER's own feeders.",
        f"run in MATPOWER: savecase('{path.stem}_plain.m', loadcase('{path.stem}')), and use "
        f"{path.stem}_plain.m.",
    )


def _plain(path: Path) -> str:
    """The text without comments and continuations, one row a line."""
    try:
        if path.exists() and not path.is_file():  # a pipe would never end
            raise unreadable(path, "it is no file")
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(
            f"there is no file {str(path)!r}.",
            "the path of a MATPOWER case file (.m).",
            f"check it with: ls {path.parent}",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise unreadable(path, str(error)) from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = "\n".join(_outside_blocks(text.split("\n")))
    text = re.sub(r"%.*", "", text)
    text = re.sub(r"\.\.\..*\n", " ", text)
    lines = text.replace(",", " ").replace(";", ";\n").split("\n")
    return "\n".join(stripped for line in lines if (stripped := line.strip())) + "\n"


def _outside_blocks(lines: list[str]) -> Iterator[str]:
    """The lines outside blocks of comments: from a line %{ to the next line %}."""
    ends = [k for k, line in enumerate(lines) if line.strip(" \t") == "%}"]
    last, inside = ends[-1] if ends else -1, False
    for k, line in enumerate(lines):
        if inside:
            inside = line.strip(" \t") != "%}"
        elif k < last and line.strip(" \t") == "%{":
            inside = True
        else:
            yield line


def _check_statements(path: Path, text: str) -> None:
    """Refuse anything but one assignment to each field."""
    body, functions = re.subn(r"^\s*function\s+mpc\s*=.*", "", text, flags=re.MULTILINE)
    if functions != 1:
        raise unreadable(path, "it does not start with 'function mpc = ...'")
    assigned = re.findall(r"^\s*mpc\.([\w.]+)\s*=(?!=)", body, re.MULTILINE)
    if len(re.findall(r"\bmpc\b", body)) > len(assigned):
        raise _computes(path)
    twice = [name for name, count in Counter(assigned).items() if count > 1]
    if twice:
        raise unreadable(path, f"mpc.{twice[0]} is assigned twice")
    for name in assigned:
        if name in _FIELDS_THAT_CHANGE_THE_MODEL:
            raise InputError(
                f"{path.name} has mpc.{name}, which changes the optimal power flow.",
                "buses, branches, generators and their costs.",
                "take it out if the plain power flow is meant.",
            )


def _table(path: Path, text: str, name: str) -> Dense | None:
    """A table of numbers; None if it is missing or empty."""
    from matpowercaseframes.reader import parse_file

    if not re.search(rf"^\s*mpc\.{name}\s*=", text, re.MULTILINE):
        return None
    rows = parse_file(name, text)
    if not rows:
        return None
    wrong = next((k for k, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if wrong is not None:
        counts = f"row {wrong + 1} has {len(rows[wrong])} columns, row 1 has {len(rows[0])}"
        why = f"the rows of mpc.{name} differ in length ({counts}; fill with zeros)"
        raise unreadable(path, why)
    try:
        return np.array(rows, dtype=float)
    except (ValueError, OverflowError):
        raise unreadable(path, f"mpc.{name} holds something that is no number") from None
