"""Options that several commands share: a command's signature, made from parts for typer to read."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["own_parameters", "parameter", "signed"]


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
