"""The sections of a job as objects of the library: query, noise, feasibility, objective, domain.

Each function takes the checked entries of one section. What is missing is named with its flag.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from privopt.adapters.sites import Sites, read_sites
from privopt.adapters.table_rows import opened
from privopt.app.data import Data, aligned, csv_rows, read_labels, read_values
from privopt.app.options import made
from privopt.app.schema import OWNERS
from privopt.app.source import Source
from privopt.app.tables import is_table
from privopt.app.values import AMOUNT, number_of
from privopt.claims.units import tens_between, unit_of
from privopt.errors import InputError
from privopt.extra import how_to_install
from privopt.ledger import Budget
from privopt.mechanisms.fidelity import Within
from privopt.model.domain import Box
from privopt.model.program import ConvexProgram
from privopt.model.query import Identity, Linear, Query, Sum
from privopt.noise import Assumed
from privopt.noise.calibration import Privacy
from privopt.solving.solver import Settings

__all__ = [
    "data_of", "domain_of", "fidelity_of", "limit_of", "numbers_of", "privacy_of", "query_of",
    "reading_of", "settings_of", "sites_of",
]  # fmt: skip


def query_of(entries: dict[str, Any]) -> Query:
    """What is released."""
    if "separate" in entries and "sum" not in entries:
        raise InputError(
            "[query] has separate without sum.", "separate beside sum.", "leave it out."
        )
    if "identity" in entries:
        return Identity(entries["identity"])
    if "sum" in entries:
        return Sum(entries["sum"], separate=entries.get("separate", False))
    if "linear" in entries:
        return Linear(_matrix(entries["linear"]))
    raise InputError(
        "[query] is empty.", "identity, sum or linear.", "write for example --identity 'p[1]'."
    )


def sites_of(tree: dict[str, dict[str, Any]], program: ConvexProgram | None) -> Sites | None:
    """The public sites of customers: of a file of them, or of the data where these may be told."""
    data, owners = tree.get("data", {}), tree.get("privacy", {}).get("owners")
    if data.get("sites") == "public":
        if owners is not None or program is None or "file" not in data:
            raise InputError(
                "[data] sites is public beside [privacy] owners, or without a program or a file.",
                "sites in the file of the data, whose customers are the owners.",
                "leave one of them out.",
            )
        return read_sites(data["file"], program, columns=data.get("columns"), of_people=True)
    if not isinstance(owners, str) or owners in OWNERS or program is None:
        return None
    return read_sites(owners, program) if _lists_sites(owners) else None


def _lists_sites(path: str) -> bool:
    """Whether a file of owners is a table of customers and buses, and no lines name,label."""
    if not is_table(path, {}):
        return False
    try:
        with opened(path, {}, sites=True):
            return True
    except InputError:
        return False


def privacy_of(
    entries: dict[str, Any],
    names: Sequence[str] | None = None,
    program: ConvexProgram | None = None,
    sites: Sites | None = None,
) -> Privacy:
    """The noise; a sensitivity is an assumption. Files are about the private entries `names`."""
    if sites is not None:
        entries = entries | {"owners": sites.owners}
    elif entries.get("owners") in OWNERS:
        if program is None:
            raise InputError(
                '[privacy] owners is "bus", and there is no program.',
                "[program]: its periods say which entries are one bus's.",
                "name the program, or leave owners out.",
            )
        periods = program.periods
        entries = entries | {"owners": None if periods is None else list(periods.customers)}
    if "sensitivity" in entries:
        entries = entries | {"sensitivity": Assumed(entries["sensitivity"])}
    given = AMOUNT.fullmatch(str(entries.get("alpha")))
    if given is not None:
        entries = entries | {"alpha": _alpha(given["number"], given["unit"], program)}
    for name, read in (("alpha", read_values), ("owners", read_labels)):
        if isinstance(entries.get(name), str):
            if names is None:
                raise InputError(
                    f"[privacy] {name} is a file, and there is no program.",
                    "[program]: the file is about its private entries.",
                    "name the program, or write the values into the job.",
                )
            entries = entries | {name: read(entries[name], names)}
    return made("privacy", entries)


def _alpha(number: str, unit: str, program: ConvexProgram | None) -> float:
    """An alpha with its unit, in that of the program."""
    own = None if program is None else unit_of(program)
    tens = tens_between(unit, own)
    if tens is None:
        raise InputError(
            f"alpha is in {unit}, and the program is in {own or 'no unit'}.",
            "both in one unit, or both in W, kW, MW or GW.",
            'write alpha in the unit of the program, or name that: unit = "MW" in [program].',
        )
    return float(Decimal(number).scaleb(tens))


def reading_of(
    entries: dict[str, Any],
    privacy: Privacy | None,
    sites: Sites | None,
    names: Sequence[str] | None,
) -> dict[str, Any]:
    """How a table of data is read, as `read_data` takes it."""
    given = {name: entries[name] for name in ("columns", "decimal", "missing") if name in entries}
    if given.get("missing") == "refuse":
        del given["missing"]
    if sites is not None:
        given["sites"] = sites
    if entries.get("bounded"):
        if privacy is None or names is None:
            raise InputError(
                "[data] bounded was given without alpha.",
                "[privacy] and [program]: what a customer adds is cut to alpha.",
                "add them, or leave bounded out.",
            )
        relation = privacy.aligned(names).neighbours
        if relation.change != "each":
            raise InputError(
                '[data] bounded was given with change = "total".',
                'change = "each": amounts are cut to alpha in each entry.',
                "leave one of them out.",
            )
        given["bound"] = relation.alphas(len(names))
    return given


def settings_of(entries: dict[str, Any]) -> Settings:
    """How to solve."""
    return made("settings", {name: value for name, value in entries.items() if name != "seed"})


def fidelity_of(entries: dict[str, Any]) -> float | Within:
    """A weight, or a bound on the distance."""
    return Within(entries["within"]) if "within" in entries else entries.get("fidelity", 0.0)


def domain_of(entries: dict[str, Any], source: Source) -> Box:
    """Where the private entries of d can lie."""
    if "around" in entries:
        return source.around(entries["around"])
    missing = [name for name in ("lower", "upper") if name not in entries]
    if missing:
        raise InputError(
            f"[domain] has no {missing[0]}.",
            "lower and upper, or around.",
            f"add {missing[0]} = ... or --{missing[0]}.",
        )
    names = list(source.program.private_names)
    return Box(
        *(numbers_of(entries[name], names, f"[domain] {name}") for name in ("lower", "upper"))
    )


def numbers_of(value: Any, names: list[str], title: str) -> Any:  # noqa: ANN401 -- plain data
    """One number for all of the names, or one for each: a list, by name, or of a file."""
    if isinstance(value, float):
        return value
    return read_values(value, names) if isinstance(value, str) else aligned(value, names, title)


def _matrix(path: str) -> Any:  # noqa: ANN401 -- a list of rows, or a DataFrame
    """S of a CSV file: numbers alone, or with variables in the first line and names in front."""
    refused = InputError(
        f"{path} holds no matrix S.",
        "a row for each released value, a column for each variable; numbers alone, or the names of "
        "the variables in the first line and a name before each row.",
        "check the file.",
    )
    try:
        file = Path(path).is_file()  # a pipe would never end
        rows = csv_rows(Path(path).read_bytes().decode("utf-8-sig")) if file else None
    except (OSError, ValueError):
        raise refused from None
    if not rows or len({len(row) for row in rows}) > 1:
        raise refused
    named = any(number_of(cell) is None for cell in rows[0][1:]) or number_of(rows[0][0]) is None
    body = [row[1:] for row in rows[1:]] if named else rows
    values = [[number_of(cell) for cell in row] for row in body]
    if not values or not values[0] or any(cell is None for row in values for cell in row):
        raise refused
    if not named:
        return values
    try:
        import pandas as pd
    except ImportError:
        raise InputError(
            f"{path} has names, and pandas is not installed.",
            "pandas, or numbers alone in the order of the variables.",
            f"leave the names out, or run: {how_to_install('pandas')}",
        ) from None
    return pd.DataFrame(values, index=[row[0] for row in rows[1:]], columns=rows[0][1:])


def data_of(entries: dict[str, Any], reading: dict[str, Any]) -> Data | None:
    """Where the data are; what is said of a table alone does not say that."""
    if "file" not in entries and "values" not in entries:
        if entries:
            raise InputError(
                f"[data] has {next(iter(entries))} without a file.",
                "file: the table that it speaks of.",
                "add file = ... (--data FILE).",
            )
        return None
    return Data(entries.get("file"), entries.get("values"), reading)


def limit_of(entries: dict[str, Any]) -> Budget | None:
    """What a ledger may count at most, if the job says so."""
    if "delta" in entries and "limit" not in entries:
        raise InputError(
            "[ledger] has delta without limit.", "both, or limit alone.", "add limit = ..."
        )
    if "limit" not in entries:
        return None
    try:
        return Budget(entries["limit"], entries.get("delta", 0))
    except InputError as error:  # a budget knows no limit, only epsilon and delta
        own = {"epsilon": "[ledger] limit", "delta": "[ledger] delta"}
        name, *rest = error.got.split(" ", 1)
        raise InputError(
            " ".join((own.get(name, name), *rest)), error.needed, error.remedy
        ) from None
