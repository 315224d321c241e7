"""The flags of a job: as the schema has them, and as a job file says it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from tests.app.writing import arguments
from tests.cli.running import DOMAIN, TREE, shown
from typer.main import get_command

from privopt.app.schema import KEYS, SECTIONS
from privopt.cli import app
from privopt.cli.flags import Asked, with_job


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
