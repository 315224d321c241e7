"""The flags of a job: as the schema has them, and as a job file says it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from tests.app.writing import arguments
from tests.cli.running import DOMAIN, TREE, shown
from typer.main import get_command
from typer.testing import CliRunner

from privopt.app.schema import KEYS, SECTIONS
from privopt.cli import app
from privopt.cli.flags import Asked, with_job
from privopt.errors import InputError


def asked(*words: str, without: tuple[str, ...] = ()) -> tuple[Asked, dict[str, Any]]:
    """What a command with its own option is given."""
    seen: list[tuple[Asked, dict[str, Any]]] = []

    @with_job(without=without)
    def command(given: Asked, *, own: int = 3) -> None:
        seen.append((given, {"own": own}))

    made = typer.Typer()
    made.command()(command)
    result = CliRunner().invoke(made, list(words))
    assert result.exit_code == 0, result.output
    return seen[0]


@pytest.mark.parametrize("section", SECTIONS)
def test_each_entry_has_its_flag_unless_its_section_is_left_out(section: str) -> None:
    flags = {f"--{key.flag}" for key in KEYS if key.flag and key.section == section}

    def options(without: tuple[str, ...]) -> set[str]:
        made = typer.Typer()
        made.command()(with_job(without=without)(_nothing))
        return {one for option in get_command(made).params for one in option.opts}

    assert flags <= options(())
    assert not flags & options((section,))


def _nothing(given: Asked) -> None:
    """A command that does nothing."""


def test_flags_are_texts_and_what_is_not_said_is_not_there() -> None:
    given, own = asked("job.toml", "--epsilon", "0.50", "--no-separate", "--own", "4", "--reveal")
    assert given == Asked("job.toml", {"epsilon": "0.50", "separate": "false"}, reveal=True)
    assert own == {"own": 4}
    assert asked("--separate", "--data-are-public")[0] == Asked(
        None, {"separate": "true"}, data_are_public=True
    )
    assert asked(without=("domain",))[0] == Asked(None, {})


def test_the_job_of_both_is_as_objects(folder: Path) -> None:
    job = Asked("job.toml", {"epsilon": "0.25"}).job()
    assert job.privacy is not None
    assert job.privacy.epsilon == 0.25
    assert job.domain is not None
    with pytest.raises(InputError, match="finite number"):
        Asked("job.toml", {"epsilon": "much"}).job()


def test_every_command_of_a_job_has_its_flags() -> None:
    commands: Any = get_command(app)
    known = {
        name: {one for option in command.params for one in option.opts}
        for name, command in commands.commands.items()
    }
    for name, has, hasnt in (
        ("solve", "--data", "--lower"),
        ("frontier", "--lower", "--limit"),
        ("release", "--ledger", "--over"),
        ("verify", "--ledger", "--out"),
        ("frontier", "--out", "--ledger"),
    ):
        assert has in known[name]
        assert hasnt not in known[name]


def test_a_file_and_flags_print_the_same(folder: Path) -> None:
    assert shown("solve", "plan.toml") == shown("solve", *arguments(TREE))
    assert shown("solve", "plan.toml", "--epsilon", "2") == shown(
        "solve", *arguments(TREE | {"privacy": {"epsilon": 2.0, "alpha": 0.05}})
    )
    values = ("frontier", "--values", "1")
    assert shown(*values, "job.toml") == shown(*values, *arguments(TREE | DOMAIN))
