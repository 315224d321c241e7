"""Where things are printed: results on standard output, everything else on standard error.

With `--json`, standard output holds one JSON value and nothing else.

What files hold is shown and never obeyed: control characters and the like are written out, whatever
is printed, and markup in a text from outside (`escape`) is no markup.

No word is broken. At a terminal, lines end between words; a word that is longer than a line stays
whole. In a log, a message that may be searched for or copied (`soft_wrap`) is one line.
"""

from __future__ import annotations

import io
import json
import os
import select
import stat
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from textwrap import indent
from typing import Annotated, Any, TextIO

import typer
from rich.console import Console
from rich.markup import escape as without_markup
from rich.text import Text

from privopt.cli.words import between_words
from privopt.errors import InputError, LedgerError
from privopt.foreign import shown

__all__ = [
    "JSON",
    "SafeConsole",
    "abandon_output",
    "as_given",
    "chatter",
    "check_output",
    "escape",
    "named",
    "print_json",
    "print_json_list",
    "results",
]

JSON = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


class SafeConsole(Console):
    """A console that no text commands: its own colours are styles, not characters."""

    def __init__(self, **more: Any) -> None:  # noqa: ANN401 -- as rich has it
        super().__init__(highlight=False, emoji=False, **more)
        self._wraps = self.is_terminal

    def print(self, *objects: Any, soft_wrap: bool | None = None, **more: Any) -> None:  # noqa: ANN401 -- as rich has it
        """Print; lines end between words, and nothing is cut off."""
        if soft_wrap and not self._wraps:
            super().print(*objects, soft_wrap=True, **more)
        elif objects and all(isinstance(one, str) for one in objects):
            lines = between_words(self.render_str(" ".join(objects)), self.width)
            whole = Text("\n").join(lines)
            super().print(whole, no_wrap=True, overflow="ignore", crop=False, **more)
        else:
            super().print(*objects, crop=False, **more)

    def render_str(self, text: str, **more: Any) -> Text:  # noqa: ANN401 -- as rich has it
        """Text with markup, of which nothing else is obeyed."""
        return super().render_str(shown(text, lines=True), **more)


def results() -> Console:
    """Standard output."""
    return SafeConsole()


def chatter() -> Console:
    """Standard error: warnings, progress, notes."""
    return SafeConsole(stderr=True)


def escape(text: object, *, lines: bool = False) -> str:
    """Text from outside, to stand in markup: on one line, unless it is many of our own."""
    return without_markup(shown(text, lines=lines))


def print_json(data: Any = None, **entries: Any) -> None:  # noqa: ANN401 -- plain data
    """One JSON value on standard output, given as it is or entry by entry."""
    typer.echo(json.dumps(entries if data is None else data, indent=2, allow_nan=False))


def print_json_list(
    entries: dict[str, Any], name: str, batches: Iterable[Iterable[dict[str, Any]]]
) -> None:
    """One JSON object as of `print_json`, with a list at its end that is printed as it comes.

    The first batch is there before anything is printed; if a later one fails, the text stops short,
    and is no JSON.
    """
    head = json.dumps(entries, indent=2, allow_nan=False).removesuffix("\n}")
    before = f'{head},\n  "{name}": ['
    for batch in batches:
        for one in batch:
            text = indent(json.dumps(one, indent=2, allow_nan=False), "    ")
            typer.echo(f"{before}\n{text}", nl=False)
            before = ","
    typer.echo(before.removesuffix(",") + "\n  ]\n}")


@contextmanager
def as_given(ledger: str | Path | None) -> Generator[None]:
    """Errors name the ledger as it was given; the library names it from the root on."""
    try:
        yield
    except LedgerError as error:
        from privopt.ledger.stores.registry import file_of

        file = None if ledger is None else file_of(ledger)
        if file is not None:
            error.got = error.got.replace(str(file.resolve()), str(ledger))
        raise


def named(ledger: str | Path) -> str:
    """A ledger as it was given; an address without its password."""
    from privopt.ledger.stores.registry import shown_as

    return shown_as(ledger)


def check_output(room: int) -> None:
    """Refuse to go on where standard output takes nothing: closed, full, or read by no one.

    Nothing is written. What is found here can change until something is.
    """
    why = _fault(sys.stdout, room)
    if why is not None:
        raise InputError(
            f"standard output takes nothing ({why}), and there is no --out. Nothing was charged.",
            "a place for the release: it is paid for when it is made.",
            "write --out FILE, or send standard output elsewhere.",
        )


def _fault(stream: TextIO | None, room: int) -> str | None:
    """Why a stream would not take so many bytes; None if nothing speaks against it."""
    if stream is None or stream.closed:
        return "it is closed"
    try:
        file = stream.fileno()
    except io.UnsupportedOperation:  # in memory
        return None
    try:
        stream.flush()
        os.write(file, b"")  # a full device says so even then
        kind, space = os.fstat(file).st_mode, os.fstatvfs(file)
    except OSError as error:
        return error.strerror
    if stat.S_ISREG(kind) and space.f_bavail * space.f_frsize < room:
        return "its disk is full"
    if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
        watched = select.poll()
        watched.register(file, 0)
        if any(event & (select.POLLERR | select.POLLHUP) for _, event in watched.poll(0)):
            return "no one reads it any more"
    return None


def abandon_output() -> None:
    """Let what standard output did not take go nowhere: Python would try again at the end."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
