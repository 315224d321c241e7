"""How numbers and settings read in the tables: as the paper prints them, with a real minus sign."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from privopt.report.compare import Comparison
from privopt.report.records import Mean
from privopt.show.view import Table

__all__ = ["grids", "mark", "pair", "plain", "seconds", "setting", "signed", "verdict"]


def plain(value: float | None) -> str:
    """Two decimals, or a dash."""
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def pair(item: Mean | None) -> tuple[str, str]:
    """Mean, and the deviation in brackets."""
    if item is None:
        return "", ""
    return plain(item.mean), "" if item.std is None else f"({plain(item.std)})"


def signed(z: float | None) -> str:
    """Standard errors with their sign; what is very far is only said to be so."""
    if z is None:
        return ""
    if math.isinf(z):
        return "+∞" if z > 0 else "−∞"
    size = f"{abs(z):.1f}" if abs(z) < 99.95 else f"{abs(z):.0f}"
    if size == "0.0":
        return size
    return ("−" if z < 0 else "+") + size


def mark(item: Comparison) -> str:
    """The class of the mark: within, beyond (3 to 6 standard errors), far, absent, or none."""
    if not item.counted:
        return "none"
    if item.within:
        return "within"
    if item.z is None:
        return "absent"
    return "beyond" if abs(item.z) <= 6 else "far"


def verdict(item: Comparison) -> str:
    """The mark in words, for those who do not see it."""
    match mark(item):
        case "within" if item.same:
            return "reproduced to the printed decimals"
        case "within":
            return "reproduced"
        case "absent":
            return "printed, but there is no reproduced value to compare"
        case "none":
            return ""
        case _:
            return "above the printed mean" if (item.z or 0) > 0 else "below the printed mean"


def seconds(value: float | None) -> str:
    """A duration in the unit that reads best."""
    if value is None:
        return "–"
    if value < 1:
        return f"{1000 * value:.3g} ms"
    if value < 120:
        return f"{value:.3g} s"
    return f"{value / 60:.1f} min" if value < 7200 else f"{value / 3600:.1f} h"


def setting(value: object) -> str:
    """A setting as text: numbers short, lists with commas, truth as yes or no."""
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.8g}"
        case list():
            return ", ".join(setting(item) for item in cast("list[object]", value))
        case _:
            return str(value)


def grids(experiments: Mapping[str, Mapping[str, Any]]) -> tuple[Table, ...]:
    """Settings of all experiments side by side: one grid, and one for each nested group."""
    flat: dict[str, dict[str, Any]] = {name: {} for name in experiments}
    nested: dict[str, dict[str, dict[str, Any]]] = {}
    for name, settings in experiments.items():
        for key, value in settings.items():
            if isinstance(value, dict):
                group = nested.setdefault(key, {one: {} for one in experiments})
                group[name] = cast("dict[str, Any]", value)
            else:
                flat[name][key] = value
    groups = [_grid(title, columns) for title, columns in {"settings": flat, **nested}.items()]
    return tuple(group for group in groups if len(group))


def _grid(title: str, columns: Mapping[str, Mapping[str, Any]]) -> Table:
    """The union of the keys, each with one text for each column."""
    keys = dict.fromkeys(key for column in columns.values() for key in column)
    texts = {name: [setting(column.get(key)) for key in keys] for name, column in columns.items()}
    return Table("", [str(key) for key in keys], texts, str(title).replace("_", " "))
