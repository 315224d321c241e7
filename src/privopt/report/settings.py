"""The settings of all experiments side by side, and the versions they ran with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from privopt.report.format import setting
from privopt.show.view import Table

__all__ = ["grids"]


def grids(experiments: Mapping[str, Mapping[str, Any]]) -> tuple[Table, ...]:
    """One grid of settings and one for each nested group, such as versions."""
    flat = {name: _flat(settings) for name, settings in experiments.items()}
    nested = dict.fromkeys(
        key for settings in experiments.values() for key in settings if _is_group(settings[key])
    )
    groups = [_grid("settings", flat)]
    for key in nested:
        part = {name: _group(settings.get(key)) for name, settings in experiments.items()}
        groups.append(_grid(key, part))
    return tuple(group for group in groups if len(group))


def _grid(title: str, columns: Mapping[str, Mapping[str, Any]]) -> Table:
    """The union of the keys, each with one text for each column."""
    keys = dict.fromkeys(key for column in columns.values() for key in column)
    texts = {name: [setting(column.get(key)) for key in keys] for name, column in columns.items()}
    return Table("", [str(key) for key in keys], texts, str(title).replace("_", " "))


def _is_group(value: object) -> bool:
    return isinstance(value, dict)


def _group(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if not _is_group(value)}
