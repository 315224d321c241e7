"""The flags of a job: made from the schema, so that a file and the command line say the same.

`with_job()` turns a function of an `Asked` (the job file and the flags that were given) into a
command with an argument for the file and a flag for each entry, but for sections it has no use for.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privopt.app.schema import KEYS, SECTIONS, Form, Key
from privopt.cli.errors import REVEAL, revealing
from privopt.cli.options import complete_networks, one_of, own_parameters, parameter, signed
from privopt.cli.usage import metavar_of

if TYPE_CHECKING:
    from privopt.app.job import Job

__all__ = ["Asked", "with_job"]

_PANELS = {
    "program": "Program",
    "data": "Private data",
    "query": "What is released",
    "privacy": "Privacy",
    "feasibility": "Feasibility",
    "objective": "Objective of a plan",
    "repeat": "Repetition of a plan",
    "domain": "Domain",
    "design": "Decision",
    "settings": "Solver",
    "ledger": "Ledger",
    "output": "Output",
}
_FILE = Annotated[
    str | None,
    typer.Argument(metavar="JOB", help="Job file: see `privopt init`. Flags override it."),
]

_PUBLIC = Annotated[
    bool,
    typer.Option(
        "--data-are-public",
        help="The bounds of the domain may be read from the data file, and are published.",
        rich_help_panel=_PANELS["domain"],
    ),
]


@dataclass(frozen=True)
class Asked:
    """What the command line says: the job file, the flags as texts, and two switches."""

    file: str | None
    flags: dict[str, str]
    reveal: bool = False
    data_are_public: bool = False

    def job(self) -> Job:
        """The job as objects."""
        from privopt.app.job import read_job

        return read_job(self.file, self.flags, data_are_public=self.data_are_public)


def with_job(
    *, without: tuple[str, ...] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the job file and the flags of a job's sections, as its first argument."""
    sections = [section for section in SECTIONS if section not in without]
    keys = {_parameter(key): key for key in KEYS if key.flag and key.section in sections}

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**given: Any) -> None:  # noqa: ANN401 -- whatever the command takes
            texts = {key.flag: _text(given.pop(name)) for name, key in keys.items() if key.flag}
            flags = {flag: text for flag, text in texts.items() if text is not None}
            file, reveal = given.pop("job_file"), given.pop("reveal")
            public = given.pop("data_are_public", False)
            with revealing(reveal):
                command(Asked(file, flags, reveal, public), **given)

        flags = [parameter(name, _annotation(key), None) for name, key in keys.items()]
        if "domain" in sections:
            flags.append(parameter("data_are_public", _PUBLIC, False))
        file, reveal = parameter("job_file", _FILE, None), parameter("reveal", REVEAL, False)
        return signed(run, [file, *own_parameters(command), *flags, reveal])

    return decorate


def _parameter(key: Key) -> str:
    return (key.flag or "").replace("-", "_")


def _annotation(key: Key) -> Any:  # noqa: ANN401 -- a type with its option
    words = f" One of: {', '.join(key.choices)}." if key.choices else ""
    common: dict[str, Any] = {"help": key.help + words, "rich_help_panel": _PANELS[key.section]}
    if key.kind is Form.YES:
        return Annotated[bool | None, typer.Option(f"--{key.flag}/--no-{key.flag}", **common)]
    if key.name == "network":
        common["autocompletion"] = complete_networks
    elif key.choices:
        common["autocompletion"] = one_of(key.choices)
    return Annotated[str | None, typer.Option(f"--{key.flag}", metavar=metavar_of(key), **common)]


def _text(value: str | bool | None) -> str | None:
    return ("true" if value else "false") if isinstance(value, bool) else value
