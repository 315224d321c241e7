"""Where things are printed: results on standard output, everything else on standard error.

With `--json`, standard output holds one JSON value and nothing else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from privopt.errors import InputError, LedgerError

__all__ = [
    "JSON",
    "as_given",
    "chatter",
    "check_folder",
    "finite",
    "print_json",
    "results",
    "whole_file",
]

JSON = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def results() -> Console:
    """Standard output."""
    return Console(highlight=False)


def chatter() -> Console:
    """Standard error: warnings, progress, notes."""
    return Console(stderr=True, highlight=False)


def print_json(data: Any) -> None:  # noqa: ANN401 -- plain data
    """One JSON value on standard output."""
    typer.echo(json.dumps(data, indent=2, allow_nan=False))


def finite(value: float) -> float | None:
    """None for what JSON cannot say."""
    return value if math.isfinite(value) else None


def check_folder(path: str | Path | None) -> None:
    """Refuse a file to be written where there is no folder, before any work is done."""
    if path is None:
        return
    try:
        sound = Path(path).absolute().parent.is_dir() and not Path(path).is_dir()
    except (OSError, ValueError):
        sound = False
    if not sound:
        raise InputError(
            f"{str(path)!r:.120} cannot be written.",
            "a file in a folder that exists.",
            "make the folder first, or choose another path.",
        )


@contextmanager
def as_given(ledger: str | Path | None) -> Generator[None]:
    """Errors name the ledger as it was given; the library names it from the root on."""
    try:
        yield
    except LedgerError as error:
        if ledger is not None:
            error.got = error.got.replace(str(Path(ledger).resolve()), str(ledger))
        raise


def whole_file(path: str | Path, content: str) -> None:
    """Write a text file whole or not at all."""
    from privopt.files import write_whole

    try:
        write_whole(Path(path), content.encode("utf-8", "replace"))
    except OSError as error:
        raise InputError(
            f"{path} could not be written ({error.strerror}).",
            "a folder that may be written to.",
            "choose another path.",
        ) from None
