"""Our errors at the command line: one sentence, what to do, an exit code; never a traceback.

Exit codes: 0 done, 1 not confirmed, 2 user error, 3 infeasible (for the curator: it depends on d),
4 budget refused, 5 the solver failed, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Generator
from typing import Annotated, Any

import typer

from privopt.cli.interrupt import CODE, heard
from privopt.cli.output import write_remedy
from privopt.cli.streams import abandon_output, chatter, escape
from privopt.cli.usage import Group
from privopt.errors import (
    Action,
    BudgetExceededError,
    Clause,
    InfeasibleError,
    PrivoptError,
    SolverError,
)

__all__ = ["CODES", "REVEAL", "Commands", "revealing", "tell_curator"]

CODES = (
    "Exit codes: 0 done; 1 not confirmed (a check failed, or a question was answered with no); "
    "2 user error; 3 infeasible (for the curator: it depends on d); 4 refused by the budget; "
    "5 the solver stopped without an answer; 130 stopped by Ctrl-C."
)
REVEAL = Annotated[
    bool,
    typer.Option(
        "--reveal",
        help="Tell the curator, on standard error, what an error knows of private data.",
    ),
]


class Commands(Group):
    """A group of commands that shows our errors as messages."""

    def make_context(self, *words: Any, **more: Any) -> Any:  # noqa: ANN401 -- click's own signature
        """Read the command line."""
        with _stopping():
            return super().make_context(*words, **more)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 -- click's own signature
        """Run a command."""
        for stream in (sys.stdout, sys.stderr):  # a name of odd bytes is shown, not raised
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            with _stopping(), heard():
                ended = super().invoke(ctx)
                if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]
                    sys.stdout.flush()  # a full disk is told now, and not when Python ends
        except PrivoptError as error:
            console = chatter()
            console.print(f"[bold red]error[/] {escape(error.got)}", soft_wrap=True)
            console.print(f"  [dim]needed: {escape(error.needed)}[/]", soft_wrap=True)
            console.print(f"  [bold]->[/] {escape(_spoken(error.remedies))}", soft_wrap=True)
            raise typer.Exit(_code(error)) from None
        except BrokenPipeError:  # whoever reads has had enough: click ends quietly
            raise
        except OSError as error:
            abandon_output()
            console = chatter()
            console.print(f"[bold red]error[/] {escape(str(error))}", soft_wrap=True)
            remedy = f"{write_remedy(error)} What was finished is kept."
            console.print(f"  [bold]->[/] {remedy}", soft_wrap=True)
            raise typer.Exit(2) from None
        return ended


@contextlib.contextmanager
def _stopping() -> Generator[None]:
    """Say that Ctrl-C stopped the command, and what a ledger was charged before."""
    try:
        yield
    except (KeyboardInterrupt, typer.Abort) as stop:
        # A question ends so too if it is answered with no, or by the end of the input.
        pressed = stop if isinstance(stop, KeyboardInterrupt) else stop.__context__
        if not isinstance(pressed, KeyboardInterrupt):
            chatter().print("Not confirmed: nothing was done.")
            raise typer.Exit(1) from None
        chatter().print("stopped.")
        for note in getattr(stop, "__notes__", ()):
            chatter().print(escape(note), soft_wrap=True)
        raise typer.Exit(CODE) from None


@contextlib.contextmanager
def revealing(asked: bool) -> Generator[None]:
    """If asked, tell the curator what an error knows of private data; the error goes on."""
    try:
        yield
    except PrivoptError as error:
        if asked:
            _show_private(error)
            error.remedies = _after(error.remedies)
        raise


def _show_private(error: PrivoptError) -> None:
    told = "" if error.private is None else error.private.reveal()
    if isinstance(error, InfeasibleError):
        with contextlib.suppress(PrivoptError), chatter().status("looking for what would do"):
            told = error.diagnose().summary()
    tell_curator(told or "Nothing more is known.")


def tell_curator(text: str) -> None:
    """What depends on d, on standard error, where the curator asked for it."""
    console = chatter()
    console.print("[black on yellow] PRIVATE [/] [yellow]depends on d: for the curator[/]")
    console.print(escape(text, lines=True), soft_wrap=True)


# What the library says to callers, as said at the command line.
_SPOKEN = {
    Action.EXPLAIN: "--reveal tells {}",
    Action.DIAGNOSE: "--reveal {}",
    Action.REVEAL: "--reveal {}",
    Action.HELP: "see privopt {} --help.",
    Action.SET_LIMIT: "change the limit on record with `privopt ledger limit`{}",
    Action.SET_QUOTA: "change the quota on record with `privopt ledger quota`{}",
    Action.MAKE_LEDGER: "make one with `privopt ledger create FILE EPSILON`{}",
    Action.TAKE: "take {}",
}


def _spoken(remedies: tuple[str | Clause, ...]) -> str:
    """What to do, in the words of the command line."""
    return "; ".join(
        one if isinstance(one, str) else _SPOKEN[one.action].format(_flags(one) + one.rest)
        for one in remedies
    )


def _flags(clause: Clause) -> str:
    return " or ".join(f"--{name} {value:g}" for name, value in clause.values)


def _after(remedies: tuple[str | Clause, ...]) -> tuple[str | Clause, ...]:
    """What is left to do once the curator was told what --reveal tells."""
    *others, last = [one for one in remedies if isinstance(one, str) or not one.tells] or [
        "see what is told above"
    ]
    return (*others, f"{last.rstrip('.')}." if isinstance(last, str) else last)


def _code(error: PrivoptError) -> int:
    codes = {InfeasibleError: 3, BudgetExceededError: 4, SolverError: 5}
    return next((code for kind, code in codes.items() if isinstance(error, kind)), 2)
