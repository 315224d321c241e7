"""Hostile and huge jobs: our errors at once, and no private file made public unasked."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.app.writing import toml
from tests.cli.running import DOMAIN, PROGRAM, TREE, run

import privopt as po
from privopt.app.data import read_values
from privopt.app.job import read_job
from privopt.app.tree import from_toml
from privopt.errors import InputError


class Counted(tuple[str, ...]):
    """Names that count how often they are gone through."""

    rounds = 0

    def __iter__(self) -> Iterator[str]:
        self.rounds += 1
        return super().__iter__()


def test_names_are_gone_through_a_few_times_however_many_there_are(tmp_path: Path) -> None:
    names = Counted(f"d[{k}]" for k in range(300))
    (tmp_path / "d.csv").write_text("".join(f"{name},1\n" for name in reversed(names)))
    names.rounds = 0
    assert read_values(tmp_path / "d.csv", names).shape == (300,)
    assert names.rounds < 10


@pytest.mark.parametrize(
    "content",
    [
        "[program]\nfile." + ".".join("a" * 5000) + " = 1\n",
        "[program." + ".".join("a" * 5000) + "]\n",
        "[program]\nfile." + ".".join(["'='"] * 5000) + " = 1\n",
        "[program]\nfile." + ".".join(['"\\""'] * 5000) + " = 1\n",
        "[privacy]\nepsilon = " + "[" * 400 + "]" * 400 + "\n",
        "[privacy]\nepsilon = 0x" + "f" * 9000 + "\n",
        "[privacy]\nepsilon = " + "9" * 5000 + "\n",
        "[settings]\nthreads = 0b" + "1" * 90_000 + "\n",
        '[output]\npath = "~nobody-at-all/x.json"\n',
        '[data]\nfile = "~nobody-at-all/x"\n',
        "[privacy]\nnoise = 0x" + "f" * 9000 + "\n",
        '"' + "\\" * 50_001,
    ],
)
def test_a_strange_file_is_refused_with_our_error(tmp_path: Path, content: str) -> None:
    (tmp_path / "job.toml").write_text(content)
    with pytest.raises(InputError):
        read_job(tmp_path / "job.toml")


def test_dots_in_values_and_comments_are_no_keys(tmp_path: Path) -> None:
    """Lists of numbers, texts and rows of dots."""
    numbers = ", ".join(["1.5"] * 100)
    text = f"# {'.' * 99} [x]\n[data]\nvalues = [{numbers}] # a.b{'.c' * 99}\n[ledger]\n"
    text += f"key = \"{'.' * 99}\"\ndataset = '{'a.' * 99}'\n"
    (tmp_path / "job.toml").write_text(text)
    assert len(from_toml(tmp_path / "job.toml")["data"]["values"]) == 100


@pytest.mark.parametrize(
    ("lower", "upper"), [(-1e308, 1e308), (1e308, 1.1e308), (0.0, 1e200), (-1e101, 0.0)]
)
def test_a_domain_beyond_what_squares_hold_is_refused(lower: float, upper: float) -> None:
    with pytest.raises(InputError, match="bound of the domain"):
        po.Box(lower, upper)
    with pytest.raises(InputError, match="bound of the domain"):
        po.Box(np.array([0.0, lower]), np.array([1.0, upper]))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.json").write_text(json.dumps(PROGRAM))
    (tmp_path / "d.csv").write_text("demand,6.012345\n")
    return tmp_path


@pytest.mark.parametrize(
    ("end", "name"), [("lower", "d.csv"), ("upper", "hard.csv"), ("lower", "soft.csv")]
)
def test_the_data_do_not_become_the_public_domain_unasked(
    folder: Path, end: str, name: str
) -> None:
    os.link("d.csv", "hard.csv")
    (folder / "soft.csv").symlink_to("d.csv")
    domain = {"domain": {"lower": 5.0, "upper": 7.0} | {end: name}}
    (folder / "job.toml").write_text(toml(TREE | DOMAIN | domain))
    for words in (["measure"], ["release"], ["verify", "--samples", "10"],
                  ["frontier", "--values", "1"]):  # fmt: skip
        said = run(*words, "job.toml", code=2).stderr
        assert f"{name}, the file of the private data" in said
        assert "6.01" not in said
        assert "--data-are-public" in said
    told = ["--no-ledger", "--clamp", "--data-are-public", "--out", "m.json"]
    run("measure", "job.toml", *told)
    ends = po.Measurement.load(folder / "m.json").domain
    assert ends[("lower", "upper").index(end)][0] == pytest.approx(6.012345)


def test_another_file_of_bounds_is_public(folder: Path) -> None:
    shutil.copy("d.csv", "upper.csv")
    domain = {"domain": {"lower": 5.0, "upper": "upper.csv"}}
    (folder / "job.toml").write_text(toml(TREE | DOMAIN | domain))
    run("measure", "job.toml", "--no-ledger", "--clamp")
