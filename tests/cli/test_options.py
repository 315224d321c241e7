"""Options that commands share: completed with Tab, and read by typer from their parts."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated

import pytest
import typer
from tests.cli.test_tree import HEAVY
from typer.testing import CliRunner

from privopt.cli import app
from privopt.cli.options import one_of, own_parameters, parameter, signed


def complete(line: str) -> list[str]:
    """What bash would offer."""
    asked = {
        "_PRIVOPT_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
    }
    return CliRunner().invoke(app, [], prog_name="privopt", env=asked).stdout.split()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("privopt solve --network 14_", ["14_ieee", "14_ieee__api", "14_ieee__sad"]),
        ("privopt audit 14_ieee__a", ["14_ieee__api"]),
        ("privopt init --network 14_ieee__s", ["14_ieee__sad"]),
        ("privopt experiment table1 --networks 3_lmbd,14_ieee__s", ["3_lmbd,14_ieee__sad"]),
        ("privopt solve --noise g", ["gaussian"]),
        ("privopt frontier --over fi", ["fidelity"]),
        ("privopt fro", ["frontier"]),
    ],
)
def test_tab_completes(line: str, found: list[str]) -> None:
    assert complete(line) == found


def test_completion_loads_nothing_heavy() -> None:
    code = (
        "import sys; from privopt.cli.options import complete_networks; "
        f"complete_networks('14'); print([m for m in {HEAVY} if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_words_to_choose_from() -> None:
    words = one_of(("laplace", "gaussian", "truncated"))
    assert words("") == ["laplace", "gaussian", "truncated"]
    assert words("tr") == ["truncated"]
    assert words("x") == []


def test_names_that_cannot_be_listed_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package of networks a Tab offers nothing, and raises nothing."""
    monkeypatch.setattr("importlib.util.find_spec", lambda *_: None)
    assert complete("privopt solve --network 14_") == []


def test_a_signature_made_from_parts_is_what_typer_reads() -> None:
    given: list[object] = []

    def own(
        shared: object, *, more: Annotated[int, typer.Option("--more", help="More.")] = 2
    ) -> None:
        given.extend((shared, more))

    def run(**words: object) -> None:
        own(words.pop("size"), **words)  # pyright: ignore[reportArgumentType]

    size = parameter("size", Annotated[float, typer.Option("--size", min=0)], 1.5)
    made = typer.Typer()
    made.command()(signed(run, [size, *own_parameters(own)]))
    for words, found in ((["--more", "7"], [1.5, 7]), (["--size", "3"], [3.0, 2])):
        given.clear()
        assert CliRunner().invoke(made, words).exit_code == 0
        assert given == found
    assert CliRunner().invoke(made, ["--size", "-1"]).exit_code == 2
