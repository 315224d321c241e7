"""Help pages: what is to be filled in has capitals, in every command."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.cli.running import runner
from tests.cli.test_tree import COMMANDS, IDS

from privopt.cli import app


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=IDS)
def test_metavars_are_in_one_style(path: tuple[str, ...], command: Any) -> None:
    context = command.make_context(path[-1], [], resilient_parsing=True)
    for one in command.get_params(context):
        shown = one.metavar or ""
        for part in re.split(r"[|,;.=]+", shown):
            assert part in ("", "total") or re.fullmatch(r"[A-Z]+(\.toml)?", part), (path, shown)


def test_arguments_in_the_usage_line() -> None:
    for words, usage in (
        (["evidence"], "evidence [OPTIONS] FILE..."),
        (["solve"], "solve [OPTIONS] [JOB]"),
        (["ledger", "show"], "show [OPTIONS] LEDGER"),
    ):
        said = runner.invoke(app, [*words, "--help"], env={"COLUMNS": "120"}).output
        assert usage in said
