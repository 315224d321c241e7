"""At a terminal of 80 columns: no line is longer, and no word of a text is broken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.cli.processes import at_terminal, plain
from tests.cli.running import clamping, runner
from tests.cli.test_tree import COMMANDS

from privopt.cli import app

TERMINAL = {"COLUMNS": "80", "TTY_COMPATIBLE": "1", "NO_COLOR": "1", "TERM": "xterm"}
FRAME = re.compile("[│╭╮╰╯─]")
GROUPS: list[tuple[str, ...]] = [(), ("ledger",), ("experiment",)]


def seen(words: str, code: int = 0) -> str:
    """What a command writes at a terminal, both streams."""
    result = runner.invoke(app, clamping([words]), env=TERMINAL)
    assert result.exit_code == code, result.output
    return plain(result.output)


def check_lines(text: str) -> None:
    for line in text.splitlines():
        assert len(line) <= 80 or len(line.split()) == 1, line


def words_of(text: str) -> list[str]:
    return FRAME.sub(" ", text).split()


@pytest.mark.parametrize("path", [*GROUPS, *(path for path, _ in COMMANDS)], ids=" ".join)
def test_help_breaks_no_word(path: tuple[str, ...]) -> None:
    """The same words at 80 columns and at 400, where each text is one line."""
    narrow = runner.invoke(app, [*path, "--help"], env=TERMINAL).output
    wide = runner.invoke(app, [*path, "--help"], env=TERMINAL | {"COLUMNS": "400"}).output
    check_lines(plain(narrow))
    assert sorted(words_of(plain(narrow))) == sorted(words_of(plain(wide)))


def test_outputs_and_errors(folder: Path) -> None:
    domain = "--lower 5 --upper 7"
    counted = "--ledger d.ledger --limit 2 --key may"
    done = [
        "solve plan.toml",
        "check job.toml",
        f"release plan.toml {counted} --dry-run",
        f"release plan.toml {counted} --out r.json",
        "report r.json --ledger d.ledger",
        "report d.ledger",
        "verify r.json --ledger d.ledger",
        "verify plan.toml --samples 50",
        "verify d.ledger",
        f"measure plan.toml {domain} --no-ledger --out m.json",
        "decide plan.toml --measurement m.json --out q.json",
        "decide --check q.json",
        "ledger show d.ledger",
        "ledger limit d.ledger",
        "ledger quota d.ledger",
        "ledger show d.ledger --compose 1e-6",
        "frontier plan.toml --values 1,2",
        "evidence r.json --ledger d.ledger --out evidence",
        "networks",
    ]
    for words in done:
        check_lines(seen(words))
    for code, words in (
        (2, "release plan.toml"),
        (2, "report d.csv"),
        (2, "verify d.csv"),
        (1, "verify m.json"),
        (2, "measure plan.toml"),
        (2, "frontier job.toml --over epsilom"),
        (0, "ledger limit d.ledger 1"),
        (4, "release plan.toml --ledger d.ledger --key b --out s.json"),
    ):
        check_lines(seen(words, code=code))


def test_a_real_terminal(folder: Path) -> None:
    """Progress and results in a process whose streams are a terminal."""
    code, said = at_terminal(folder, "frontier job.toml --values 1 --out f.html")
    assert code == 0
    check_lines(said)
    assert "Page: f.html" in said
    code, said = at_terminal(folder, "report d.csv --ledger none.ledger")
    assert code == 2
    check_lines(said)
