"""Where things are printed: nothing there is obeyed, and a stream that takes nothing is found."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from tests.cli.processes import shell
from tests.cli.running import run


def test_paths_are_printed_as_they_were_given(folder: Path) -> None:
    (folder / "sub").mkdir()
    shutil.copytree(folder, folder / "jobs", ignore=shutil.ignore_patterns("jobs"))
    (folder / "empty").touch()
    for words in (
        "measure jobs/job.toml --out sub/m.json --no-ledger",
        "release jobs/job.toml --out sub/r.json --ledger sub/a.ledger --limit 9 --key may",
        "frontier jobs/job.toml --values 1 --out sub/f.html",
        "report sub/r.json",
        "verify --release sub/r.json --ledger sub/a.ledger",
        "ledger create sub/b.ledger 1",
        "ledger show sub/b.ledger",
    ):  # fmt: skip
        assert str(folder) not in run(words).output
    for words in (
        "solve jobs/plan.toml --data sub/none.csv",
        "solve jobs/plan.toml --program sub/none.json",
        "release jobs/plan.toml --ledger sub/none.ledger",
        "release jobs/plan.toml --ledger empty",
        "release --no-ledger jobs/job.toml --out sub/r.json",
        "verify --release sub/r.json --ledger empty",
        "ledger show empty",
        "ledger show sub/none.ledger",
        "ledger verify jobs/job.toml",
    ):
        said = run(words, code=2).stderr
        assert str(folder) not in said
        assert words.split()[-1] in said
    (folder / "jobs" / "d.csv").unlink()
    assert "jobs/d.csv" in run("solve jobs/plan.toml", code=2).stderr
    assert f"{folder}/none.csv" in run(
        "solve jobs/plan.toml --data", folder / "none.csv", code=2
    ).stderr  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ('"$@" >&-', "it is closed"),
        ('"$@" > /dev/full', "No space left"),
        ('("$@"; echo $? > code) | sleep 0', None),
        ('ulimit -f 8; "$@" --out r.json', "File too large"),
    ],
)
def test_without_a_place_nothing_is_charged(folder: Path, script: str, why: str | None) -> None:
    words = "release plan.toml --ledger d.ledger"
    ended = shell(folder, script, words, "--limit 9")
    assert "Traceback" not in ended.stderr
    if why is None:  # who reads is gone before or after the charge: both are told
        assert (folder / "code").read_text() == "2\n"
        told = "charged" if (folder / "d.ledger").exists() else "no one reads it any more"
        assert told in ended.stderr
        return
    assert ended.returncode == 2, ended.stderr
    assert why in ended.stderr
    assert not (folder / "d.ledger").exists()
    assert not list(folder.glob(".privopt*"))


@pytest.mark.long
def test_a_warning_of_a_library_does_not_reach_the_terminal(folder: Path) -> None:
    """Whether numpy warns may depend on d."""
    code = (
        "import warnings, numpy as np, privopt.app.data as data\n"
        "real = data._in_order\n"
        "def loud(*words):\n"
        "    found = real(*words)\n"
        "    warnings.warn(f'seen {found}'); np.float64(1e308) * found[0] * 1e10\n"
        "    return found\n"
        "data._in_order = loud\n"
        "from privopt.cli import app\n"
        "app()\n"
    )
    (folder / "loud.py").write_text(code)
    words = f"{sys.executable} loud.py solve plan.toml --json > /dev/null"
    ended = shell(folder, words)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    assert "seen" in shell(folder, words.replace(" loud", " -W default loud")).stderr
