"""docs/cli.md: it lists every entry and flag, and its example runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from privopt.app.schema import KEYS, Key
from privopt.cli import app

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", KEYS, ids=lambda key: f"{key.section}.{key.name}")
def test_every_entry_is_on_the_page(key: Key) -> None:
    flag = f"`--{key.flag}`" if key.flag else "none"
    assert re.search(rf"\| `{key.name}` \| {flag}.*\| {re.escape(key.help)} \|", PAGE)


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, name in (("toml", "job.toml"), ("json", "program.json")):
        found = re.search(rf"```{kind}\n(.*?)```", PAGE, flags=re.DOTALL)
        assert found
        Path(name).write_text(found[1], encoding="utf-8")
    Path("demand.csv").write_text("demand,6\n")
    for command in ("frontier", "solve", "release"):
        free = {"frontier": ["--values", "1"], "release": ["--no-ledger", "--clamp"]}.get(
            command, []
        )
        result = CliRunner().invoke(app, [command, "job.toml", *free])
        assert result.exit_code == 0, result.output
    said = re.search(r"The same as flags: `(.*?)`", PAGE, flags=re.DOTALL)
    assert said
    result = CliRunner().invoke(app, ["solve", *said[1].split()[:-4], "--json"])
    assert result.exit_code == 0, result.output
    assert result.stdout == CliRunner().invoke(app, ["solve", "job.toml", "--json"]).stdout
