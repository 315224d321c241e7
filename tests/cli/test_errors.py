"""Errors at the command line: every action has words there, and none is parsed.

Inner: an error for each action is raised on purpose; no command meets all of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from tests.cli.running import flat, run
from typer.testing import CliRunner

from privopt.cli.errors import Commands, revealing
from privopt.errors import Action, Clause, InfeasibleError, InputError, PrivoptError, SolverError


def said(error: PrivoptError, *, reveal: bool = False) -> str:
    """What is printed of an error, in one line."""
    app = typer.Typer(cls=Commands)

    @app.callback()
    def main() -> None: ...

    @app.command()
    def fail() -> None:
        with revealing(reveal):
            raise error

    return flat(CliRunner().invoke(app, ["fail"]).stderr)


@pytest.mark.parametrize("action", [one for one in Action if one is not Action.TAKE])
def test_every_action_has_words_of_its_own(action: Action) -> None:
    text = said(InputError("got.", "needed.", ("first", Clause(action, "rest"))))
    remedy = text.partition("-> ")[2]
    assert remedy.startswith("first; ")
    assert "rest" in remedy
    assert action.value.format("rest") not in text
    assert "--" in remedy or "`privopt " in remedy


def test_settings_to_take_are_flags() -> None:
    clause = Clause(Action.TAKE, values=(("epsilon", 5.9), ("eta", 0.1)))
    error = InfeasibleError("no.", "one.", (clause, "or stop."))
    assert error.remedy == "take epsilon=5.9 or eta=0.1; or stop."
    assert said(error).endswith("-> take --epsilon 5.9 or --eta 0.1; or stop.")


def test_what_was_told_is_not_offered_again() -> None:
    remedies = ("check G", Clause(Action.DIAGNOSE, "names the rows; only for you. Then stop."))
    assert said(InfeasibleError("no.", "one.", remedies)).endswith(
        "-> check G; --reveal names the rows; only for you. Then stop."
    )
    assert said(InfeasibleError("no.", "one.", remedies), reveal=True).endswith("-> check G.")
    alone = InputError("no.", "one.", remedies[1:], private="canary")
    told = said(alone, reveal=True)
    assert told.endswith("-> see what is told above.")
    assert "canary" in told


def test_words_of_others_that_look_like_an_offer_stay() -> None:
    """A file may be called so: only actions are left out."""
    error = InputError("no.", "one.", "rename error.diagnose() --reveal.csv.", private="x")
    assert said(error, reveal=True).endswith("-> rename error.diagnose() --reveal.csv.")


def test_a_solver_that_fails_has_an_exit_code_of_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failed(*_: object, **__: object) -> None:
        raise SolverError("the solver stopped.", "an answer.", "try again.", private="secret")

    monkeypatch.setattr("privopt.app.making.planned", failed)
    said = run("solve plan.toml", code=5)
    assert "the solver stopped." in said.stderr
    assert "secret" not in said.output
    assert "secret" in run("solve plan.toml --reveal", code=5).stderr
