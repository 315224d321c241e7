"""Reading: what may be missing, what may not, and what is said then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import privopt.report
from privopt.errors import InputError
from privopt.report.folder import read


def test_everything_is_read(folder: Path) -> None:
    found = read(folder)
    assert found.table1 is not None
    assert found.table1.cases[0] == "3_lmbd"
    assert len(found.table1.runs) == 100 * len(found.table1.rows)
    assert found.table2 is not None
    assert found.table2.cases == tuple(
        f"118_ieee, {n}" for n in ("1 sum", "3 sums", "6 sums", "9 sums")
    )
    assert found.figure2 is not None
    assert found.drawing is not None
    assert found.privacy is not None
    assert found.privacy.cases == ("14_ieee", "39_epri", "118_ieee")
    names = ["figure2", "privacy", "table1", "table2"]
    assert [work.name for work in found.work] == names


EXPERIMENTS = ("table1", "table2", "figure2", "privacy")


@pytest.mark.parametrize("kept", [f"{name}.json" for name in EXPERIMENTS])
def test_one_experiment_alone_makes_a_page(folder: Path, kept: str) -> None:
    for path in folder.iterdir():
        if path.name != kept:
            path.unlink()
    text = privopt.report.write(folder)[0].read_text(encoding="utf-8")
    for name in EXPERIMENTS:
        assert (f'<section id="{name}">' in text) == (f"{name}.json" == kept)


def test_an_empty_folder_is_refused_and_so_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no experiment.*table1.json"):
        privopt.report.write(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        privopt.report.write(str(tmp_path / "nowhere"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "table1.json could not be read"),
        ("[]", "table1.json could not be read"),
        ('{"rows": 3}', "table1.json could not be read"),
        ('{"rows": [{"network": "14_ieee"}]}', "without 'algorithm'"),
        ("{}", "without 'rows'"),
        (
            '{"rows": [{"network": "14_ieee", "algorithm": "OP", "runs": 1e400}]}',
            "table1.json could not be read",
        ),
        ('{"rows": [], "settings": {"x": ' + "[" * 900 + "]" * 900 + "}}", "cannot be shown"),
    ],
)
def test_a_broken_file_is_named(folder: Path, text: str, said: str) -> None:
    (folder / "table1.json").write_text(text)
    with pytest.raises(InputError, match=said):
        privopt.report.write(folder)


def test_broken_raw_runs_are_named(folder: Path) -> None:
    (folder / "table1.parquet").write_bytes(b"no parquet")
    with pytest.raises(InputError, match="table1.parquet could not be read"):
        privopt.report.write(folder)


def test_null_and_nan_mean_that_there_is_no_number(folder: Path) -> None:
    path = folder / "table1.json"
    data = json.loads(path.read_text())
    data["rows"][0] |= {"violation_mean": None, "loss_mean": float("nan"), "infeasible_runs": 100}
    path.write_text(json.dumps(data))
    table = read(folder).table1
    assert table is not None
    assert table.rows[0].violation is None
    assert table.rows[0].loss is None


def test_a_folder_that_cannot_be_written_to_is_said_and_left_alone(folder: Path) -> None:
    (folder / "report.html").mkdir()
    before = sorted(folder.iterdir())
    with pytest.raises(InputError, match=r"report.html could not be written"):
        privopt.report.write(folder)
    assert sorted(folder.iterdir()) == before
