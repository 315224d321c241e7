"""Our errors at the command line: one sentence, what to do, an exit code; never a traceback.

Exit codes: 0 done, 1 not confirmed, 2 user error, 3 infeasible (for the curator: it depends on d),
4 budget refused.
"""

from __future__ import annotations

import io
import sys
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape
from typer.core import TyperGroup

from privopt.errors import BudgetExceededError, InfeasibleError, PrivoptError

__all__ = ["CODES", "Commands"]

CODES = (
    "Exit codes: 0 done; 1 not confirmed (a check failed, or a question was answered with no); "
    "2 user error; 3 infeasible (for the curator: it depends on d); 4 refused by the budget."
)


class Commands(TyperGroup):
    """A group of commands that shows our errors as messages."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 -- click's own signature
        """Run a command."""
        for stream in (sys.stdout, sys.stderr):  # a name of odd bytes is shown, not raised
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except PrivoptError as error:
            console = Console(stderr=True, highlight=False)
            console.print(f"[bold red]error[/] {escape(error.got)}", soft_wrap=True)
            console.print(f"  [dim]needed: {escape(error.needed)}[/]", soft_wrap=True)
            console.print(f"  [bold]->[/] {escape(_spoken(error.remedy))}", soft_wrap=True)
            raise typer.Exit(_code(error)) from None
        except BrokenPipeError:  # whoever reads has had enough: click ends quietly
            raise
        except OSError as error:
            console = Console(stderr=True, highlight=False)
            console.print(f"[bold red]error[/] {escape(str(error))}", soft_wrap=True)
            remedy = "make room, or pass another folder with --out; what was finished is kept."
            console.print(f"  [bold]->[/] {remedy}", soft_wrap=True)
            raise typer.Exit(2) from None


# What the library says to callers, as said at the command line.
_SPOKEN = (
    ("call error.diagnose() for", "--reveal tells"),
    ("error.diagnose() names", "--reveal names"),
    ("error.private.reveal()", "--reveal"),
    ("ledger.set_limit", "`privopt ledger limit`"),
    ("see help(privopt.solve)", "see privopt solve --help"),
)


def _spoken(remedy: str) -> str:
    for said, spoken in _SPOKEN:
        remedy = remedy.replace(said, spoken)
    return remedy


def _code(error: PrivoptError) -> int:
    if isinstance(error, InfeasibleError):
        return 3
    return 4 if isinstance(error, BudgetExceededError) else 2
