"""Live progress of long work: how much is done, how fast, how long it will take."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from privopt.cli.interrupt import check

__all__ = ["live"]


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        """Units a second, or a minute where they are slow."""
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("")
        text = f"{speed:.1f}/s" if speed >= 1 else f"{60 * speed:.1f}/min"
        return Text(text, style="cyan")


@contextmanager
def live(
    title: str, console: Console, units: str = "units"
) -> Generator[Callable[[int, int], None]]:
    """A bar, as a function of the units done and all units; it hears a Ctrl-C that was lost."""
    columns = (
        SpinnerColumn(),
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeElapsedColumn(),
        TextColumn("[dim]left"),
        TimeRemainingColumn(),
    )
    shown = console.is_terminal
    with Progress(*columns, console=console, speed_estimate_period=120, disable=not shown) as bar:
        tasks: list[TaskID] = []

        tenth = -1

        def show(done: int, total: int) -> None:
            nonlocal tenth
            check()
            if not console.is_terminal and 10 * done // max(total, 1) > tenth:
                tenth = 10 * done // max(total, 1)  # a log gets a line now and then
                console.print(f"{title}: {done} of {total} {units} done")
            if not tasks:  # what was there before counts as done, not as speed
                tasks.append(bar.add_task(title, total=total, completed=done))
            bar.update(tasks[0], completed=done)

        yield show
