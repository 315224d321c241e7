"""The sections of a job as objects of the library: query, noise, feasibility, objective, domain.

Each function takes the checked entries of one section. What is missing is named with its flag.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from privopt.app.data import aligned, csv_rows, read_labels, read_values
from privopt.app.options import made
from privopt.app.source import Source
from privopt.app.values import number_of
from privopt.errors import InputError
from privopt.extra import how_to_install
from privopt.mechanisms.fidelity import Within
from privopt.model.domain import Box
from privopt.model.query import Identity, Linear, Query, Sum
from privopt.noise import Assumed
from privopt.noise.calibration import Privacy
from privopt.solving.solver import Settings
from privopt.solving.structure import Shared

__all__ = [
    "domain_of", "fidelity_of", "numbers_of", "privacy_of", "query_of", "settings_of",
    "structure_of",
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


def privacy_of(entries: dict[str, Any], names: Sequence[str] | None = None) -> Privacy:
    """The noise; a sensitivity is an assumption. Files are about the private entries `names`."""
    if "sensitivity" in entries:
        entries = entries | {"sensitivity": Assumed(entries["sensitivity"])}
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


def settings_of(entries: dict[str, Any]) -> Settings:
    """How to solve."""
    return made("settings", {name: value for name, value in entries.items() if name != "seed"})


def fidelity_of(entries: dict[str, Any]) -> float | Within:
    """A weight, or a bound on the distance."""
    return Within(entries["within"]) if "within" in entries else entries.get("fidelity", 0.0)


def structure_of(entries: dict[str, Any]) -> Shared | None:
    """The structure of the gain, if there is to be one."""
    return Shared(entries["rank"]) if "rank" in entries else None


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
