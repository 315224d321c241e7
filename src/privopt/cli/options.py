"""Options that several commands share: signatures made from parts, and completion with Tab.

Nothing heavy is imported: typer reads signatures for `--help`, and a shell asks at each Tab.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from privopt.errors import PrivoptError

__all__ = [
    "complete_listed_networks", "complete_networks", "one_of", "own_parameters", "parameter",
    "signed",
]  # fmt: skip


def parameter(name: str, annotation: Any, default: object) -> inspect.Parameter:  # noqa: ANN401 -- a type
    """A parameter by name; its annotation holds the option."""
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def own_parameters(command: Callable[..., None]) -> list[inspect.Parameter]:
    """The parameters of a command but the first, which holds what is shared."""
    return list(inspect.signature(command, eval_str=True).parameters.values())[1:]


def signed(
    run: Callable[..., None], parameters: Iterable[inspect.Parameter]
) -> Callable[..., None]:
    """The function, which takes anything by name, as one that takes these parameters."""
    shown = inspect.Signature(list(parameters))
    run.__signature__ = shown  # pyright: ignore[reportFunctionMemberAccess]
    run.__annotations__ = {one.name: one.annotation for one in shown.parameters.values()}
    return run


def complete_networks(incomplete: str) -> list[str]:
    """The PGLib names that begin like this; none if they are not installed."""
    from privopt.networks.locate import names

    try:
        return [name for name in names() if name.startswith(incomplete)]
    except PrivoptError:
        return []


def complete_listed_networks(incomplete: str) -> list[str]:
    """The same for the last name of a list with commas."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in complete_networks(last)]


def one_of(words: tuple[str, ...]) -> Callable[[str], list[str]]:
    """The words that begin like this."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete
