"""Planted bugs of files and the command line."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

__all__ = ["PLANTED"]

PLANTED: tuple[Mutant, ...] = (
    Mutant(
        "a Ctrl-C that strikes in a finaliser is lost",
        "cli/interrupt.py",
        "            _thread.start_new_thread(_press_again, ())",
        "            pass",
        "tests/cli/test_interrupt.py::test_one_press_ends_a_command",
    ),
    Mutant(
        "a Ctrl-C that a library swallows is lost",
        "cli/progress.py",
        "            check()\n",
        "",
        "tests/cli/test_interrupt.py::test_one_that_a_library_swallows_is_heard_after_the_unit",
    ),
    Mutant(
        "a job in the background ends by the Ctrl-C of the foreground",
        "cli/interrupt.py",
        "signal.getsignal(signal.SIGINT) is not signal.default_int_handler",
        "signal.getsignal(signal.SIGINT) is None",
        "tests/cli/test_interrupt.py::test_a_press_that_is_ignored_stays_ignored",
    ),
    Mutant(
        "Ctrl-C does not tell what was charged",
        "cli/errors.py",
        'getattr(stop, "__notes__", ())',
        "()",
        "tests/cli/test_interrupt.py::test_what_was_charged_is_told",
    ),
)
