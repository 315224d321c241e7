"""The noise families: one line each. Jobs, files, claims and ledgers know those listed here."""

from __future__ import annotations

from typing import Any

from privopt.errors import InputError
from privopt.noise.calibration import Privacy
from privopt.noise.gaussian import Gaussian
from privopt.noise.laplace import Laplace
from privopt.noise.truncated import TruncatedLaplace

__all__ = ["FAMILIES", "from_dict", "named", "of_kind"]

FAMILIES: list[type[Privacy]] = [
    Laplace,
    Gaussian,
    TruncatedLaplace,
]


def named(name: str) -> type[Privacy]:
    """The family that jobs and claims call so; ValueError if there is none."""
    found = _only([family for family in FAMILIES if family.name == name], name)
    if found is None:
        raise ValueError
    return found


def of_kind(kind: str) -> type[Privacy] | None:
    """The family that files and ledgers call so; None if there is none."""
    return _only([family for family in FAMILIES if family.kind == kind], kind)


def _only(found: list[type[Privacy]], name: str) -> type[Privacy] | None:
    if len(found) > 1:  # whichever were taken, files of the other would be read wrongly
        raise InputError(
            f"two noise families are called {name}.",
            "a name and a kind of its own for each.",
            "give one of them another name and kind, or take it off the list.",
        )
    return found[0] if found else None


def from_dict(data: dict[str, Any]) -> Privacy:
    """The noise that `to_dict` wrote; ValueError or TypeError if it is none."""
    family = of_kind(data["kind"])
    if family is None:
        raise ValueError
    return family(**{name: value for name, value in data.items() if name != "kind"})
