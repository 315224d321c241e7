"""A study widens its own results and replaces no others unasked."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from privopt.cli import app
from privopt.errors import InputError
from privopt.experiments import Table1, run
from privopt.experiments.runner import check_standing

TINY = Table1(networks=("3_lmbd", "5_pjm"), algorithms=("OP",), runs=2, samples=10)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("done")
    run(TINY, out)
    return {path.name: path.read_bytes() for path in out.iterdir()}


@pytest.fixture
def out(tmp_path: Path, done: dict[str, bytes]) -> Path:
    for name, content in done.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize(
    "other",
    [
        {"networks": ("3_lmbd",)},
        {"networks": ("14_ieee",)},
        {"runs": 1},
        {"algorithms": ("PIQ-a",)},
    ],
)
def test_narrower_and_other_results_are_refused(out: Path, other: dict[str, object]) -> None:
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    with pytest.raises(InputError, match="would replace") as caught:
        run(replace(TINY, **other), out)  # pyright: ignore[reportArgumentType]
    assert "--overwrite" in caught.value.remedy
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_overwriting_is_asked_for_and_keeps_the_journal(out: Path) -> None:
    journal = (out / "table1.journal").read_bytes()
    run(replace(TINY, runs=1), out, overwrite=True)
    assert json.loads((out / "table1.json").read_bytes())["settings"]["runs"] == 1
    assert (out / "table1.journal").read_bytes() == journal


def test_the_same_goes_on_and_so_does_a_wider_one(out: Path) -> None:
    before = (out / "table1.json").read_bytes()
    run(TINY, out)
    assert (out / "table1.json").read_bytes() == before
    run(replace(TINY, runs=3), out)


def test_results_whose_journal_is_gone_are_not_replaced_by_those_of_another_seed(
    out: Path,
) -> None:
    (out / "table1.journal").unlink()
    with pytest.raises(InputError, match="another seed"):
        run(replace(TINY, seed=1), out)


@pytest.mark.parametrize("content", ["[]", "mine", '{"rows": []}', '{"settings": 3}'])
def test_what_no_study_wrote_is_left_alone(tmp_path: Path, content: str) -> None:
    for name in ("table1.json", "table1.parquet"):
        (tmp_path / name).write_text(content)
        with pytest.raises(InputError, match="something else"):
            check_standing(TINY, tmp_path)
        (tmp_path / name).unlink()
    check_standing(TINY, tmp_path)


def test_pages_and_drawings_of_others_are_found_before_the_work(tmp_path: Path) -> None:
    words = ["experiment", "table1", "--networks", "3_lmbd", "--runs", "1", "--samples", "10",
             "--algorithms", "OP", "--jobs", "1", "--out", str(tmp_path)]  # fmt: skip
    for name, content in (("report.html", "<html>mine</html>"), ("drawing.json", "{}")):
        (tmp_path / name).write_text(content)
        refused = CliRunner().invoke(app, words)
        assert refused.exit_code == 2
        assert name in refused.output
        assert os.listdir(tmp_path) == [name]
        assert (tmp_path / name).read_text() == content
        (tmp_path / name).unlink()
    assert CliRunner().invoke(app, words).exit_code == 0
    assert CliRunner().invoke(app, words).exit_code == 0  # its own
    assert CliRunner().invoke(app, ["report", str(tmp_path)]).exit_code == 0
    (tmp_path / "report.html").write_text("<html>mine</html>")
    assert CliRunner().invoke(app, ["report", str(tmp_path)]).exit_code == 2
    assert CliRunner().invoke(app, ["report", str(tmp_path), "--overwrite"]).exit_code == 0


def test_a_journal_that_is_a_pipe_or_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "aim").write_text("")
    (tmp_path / "table1.journal").symlink_to("aim")
    with pytest.raises(InputError, match="cannot be written to"):
        run(TINY, tmp_path)
    assert (tmp_path / "aim").read_text() == ""
    (tmp_path / "table1.journal").unlink()
    os.mkfifo(tmp_path / "table1.journal")
    with pytest.raises(InputError, match="no ordinary file"):
        run(TINY, tmp_path)
