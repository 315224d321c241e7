"""Help pages in one style: what is to be filled in has capitals, and stands in one column.

    --epsilon NUMBER    --out FILE    --identity NAME,...    --measure total|NAME,...|FILE

Capitals are filled in, small letters are written as they are, `|` is "or", `...` is "and more".
A switch takes nothing and shows nothing. Arguments are named in the usage line as everywhere:
FILE, [FILE] if it may be left out, FILE... if there may be more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from privopt.app.schema import Form, Key

__all__ = ["Command", "CommandLine", "Group", "metavar_of"]

_FORMS = {
    Form.WHOLE: "INTEGER",
    Form.OUTPUT: "FILE",
    Form.GROUPS: "NAME,...;...",
    Form.SUMS: "total|NAME,...|FILE",
    Form.LABELS: "NAME,...|FILE",
    Form.AMOUNT: "NUMBER",
}
_FLAGS = {"ledger": "LEDGER", "anchor": "ANCHOR"}  # a file; of a ledger also an address
_TYPES = {
    "int": "INTEGER", "integer": "INTEGER", "integer range": "INTEGER",
    "float": "NUMBER", "float range": "NUMBER",
    "Path": "FILE", "path": "FILE",
}  # fmt: skip
_OTHER = "NAME"


def metavar_of(key: Key) -> str:
    """What the flag of a job's entry is shown to take."""
    return _FLAGS.get(key.flag or "") or _FORMS.get(key.kind, key.kind.value)


class Command(TyperCommand):
    """A command whose help is in this style."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 -- click's own signature
        """The words of the usage line."""
        return [self.options_metavar or "", *_arguments(self.get_params(ctx))]

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 -- click's own signature
        """The parameters, each with its metavar."""
        return _named(super().get_params(ctx))


class Group(TyperGroup):
    """A group of commands whose help is in this style."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 -- click's own signature
        """The parameters, each with its metavar."""
        return _named(super().get_params(ctx))


class CommandLine(typer.Typer):
    """Commands, all of them in this style."""

    def command(self, name: str | None = None, **more: Any) -> Callable[..., Any]:  # noqa: ANN401 -- typer's own options
        """Add a command."""
        given: dict[str, Any] = {"cls": Command, **more}
        return super().command(name, **given)


def _named(parameters: Iterable[Any]) -> list[Any]:
    """Parameters with what they take, where their definition does not say it."""
    found = list(parameters)
    for one in found:
        argument = one.param_type_name == "argument"
        if argument:
            one.display_type_rich = _nothing  # its name says it already
        if one.metavar is None:
            one.metavar = one.name.upper() if argument else _taken(one)
    return found


def _taken(option: Any) -> str:  # noqa: ANN401 -- a parameter of click, or of typer's copy of it
    if option.is_flag:
        return ""
    annotation = getattr(getattr(option, "type_descriptor", None), "annotation", None)
    name = getattr(annotation, "__name__", None) or getattr(
        getattr(option, "type", None), "name", None
    )
    return _TYPES.get(name or "", _OTHER)


def _nothing(ctx: object) -> None:
    return None


def _arguments(parameters: Iterable[Any]) -> list[str]:
    """The arguments as the usage line has them."""
    return [
        f"{one.metavar if one.required else f'[{one.metavar}]'}{'...' if one.nargs != 1 else ''}"
        for one in parameters
        if one.param_type_name == "argument"
    ]
