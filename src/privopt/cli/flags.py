"""The flags of a job: made from the schema, so that a file and the command line say the same.

`with_job(sections)` turns a function of an `Asked` (the job file and the flags that were given)
into a command with an argument for the file and a flag for each entry of those sections.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from privopt.cli.completing import complete_networks, one_of
from privopt.cli.streams import chatter
from privopt.errors import InfeasibleError, PrivoptError
from privopt.jobs.schema import KEYS, Key, Kind

if TYPE_CHECKING:
    from privopt.jobs.job import Job

__all__ = ["Asked", "with_job"]

_PANELS = {
    "program": "Program",
    "data": "Private data",
    "query": "What is released",
    "privacy": "Privacy",
    "feasibility": "Feasibility",
    "objective": "Objective of a plan",
    "repeat": "Repetition of a plan",
    "domain": "Domain of a policy",
    "design": "Design of a policy",
    "settings": "Solver",
    "ledger": "Ledger",
    "output": "Output",
}
_FILE = Annotated[
    str | None,
    typer.Argument(metavar="JOB.toml", help="Job file: see `privopt init`. Flags override it."),
]
_REVEAL = Annotated[
    bool,
    typer.Option("--reveal", help="Show what an error knows of private data: for the curator."),
]


@dataclass(frozen=True)
class Asked:
    """What the command line says: the job file, and the flags as texts."""

    file: str | None
    flags: dict[str, str]

    def job(self) -> Job:
        """The job as objects."""
        from privopt.jobs.job import read_job

        return read_job(self.file, self.flags)


def with_job(*sections: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the job file and the flags of some sections, as its first argument."""
    keys = {_parameter(key): key for key in KEYS if key.flag and key.section in sections}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**given: Any) -> None:  # noqa: ANN401 -- whatever the command takes
            texts = {key.flag: _text(given.pop(name)) for name, key in keys.items() if key.flag}
            flags = {flag: text for flag, text in texts.items() if text is not None}
            file, reveal = given.pop("job_file"), given.pop("reveal")
            try:
                command(Asked(file, flags), **given)
            except PrivoptError as error:
                if reveal:
                    _show_private(error)
                raise

        own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
        parameters = [
            _option("job_file", _FILE, None),
            *own,
            *(_option(name, _annotation(key), None) for name, key in keys.items()),
            _option("reveal", _REVEAL, False),
        ]
        run.__signature__ = inspect.Signature(parameters)  # pyright: ignore[reportAttributeAccessIssue]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorate


def _parameter(key: Key) -> str:
    return (key.flag or "").replace("-", "_")


def _option(name: str, annotation: Any, default: object) -> inspect.Parameter:  # noqa: ANN401
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def _annotation(key: Key) -> Any:  # noqa: ANN401 -- a type with its option
    words = f" One of: {', '.join(key.choices)}." if key.choices else ""
    common: dict[str, Any] = {"help": key.help + words, "rich_help_panel": _PANELS[key.section]}
    if key.kind is Kind.YES:
        return Annotated[bool | None, typer.Option(f"--{key.flag}/--no-{key.flag}", **common)]
    if key.name == "network":
        common["autocompletion"] = complete_networks
    elif key.choices:
        common["autocompletion"] = one_of(key.choices)
    return Annotated[str | None, typer.Option(f"--{key.flag}", metavar=key.kind.value, **common)]


def _text(value: str | bool | None) -> str | None:
    return ("true" if value else "false") if isinstance(value, bool) else value


def _show_private(error: PrivoptError) -> None:
    """What an error keeps for the curator."""
    console = chatter()
    told = "" if error.private is None else error.private.reveal()
    if isinstance(error, InfeasibleError):
        with contextlib.suppress(PrivoptError), console.status("looking for what would do"):
            told = error.diagnose().summary()
    console.print("[black on yellow] PRIVATE [/] [yellow]depends on d: for the curator[/]")
    console.print(escape(told or "Nothing more is known."), soft_wrap=True)
