"""Where a job file may write: in its own folder, under names that start nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from privopt.app.outputs import Output
from privopt.errors import InputError


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "away").symlink_to(tmp_path)
    (tmp_path / "job" / "here").symlink_to(tmp_path / "job")
    (tmp_path / "job" / "loop").symlink_to("loop")
    return tmp_path / "job"


def check(path: str, folder: Path | None, *, result: bool = True) -> None:
    Output(path, folder).check("output.path", "out", result=result)


@pytest.mark.parametrize("name", ["r.json", "deep/er/r.html", "here/r.json", "deep/../r.json"])
def test_a_path_below_the_folder_is_taken(home: Path, name: str) -> None:
    check(str(home / name), home)


@pytest.mark.parametrize(
    "name",
    ["../r.json", "away/r.json", "deep/../../r.json", ".r.json", ".config/r.json", "loop/r.json",
     "here/../../r.json"],
)  # fmt: skip
@pytest.mark.parametrize("result", [True, False])
def test_a_path_that_leads_elsewhere_is_refused(home: Path, name: str, result: bool) -> None:
    with pytest.raises(InputError, match="leads out of its folder") as caught:
        check(str(home / name), home, result=result)
    assert "--out PATH" in caught.value.remedy


@pytest.mark.parametrize("name", ["r", "r.sh", "Makefile", "r.json.py", "r.JSON "])
def test_a_result_has_an_ending_that_starts_nothing(home: Path, name: str) -> None:
    with pytest.raises(InputError, match="ends in|is '"):
        check(str(home / name), home)
    check(str(home / name), home, result=False)


def test_what_the_user_says_goes_anywhere(home: Path) -> None:
    for path in ("/etc/passwd", "../r.sh", ".bashrc"):
        check(path, None)


def test_the_same_path_is_the_same_whoever_gave_it(home: Path) -> None:
    assert Output("r.json", home) == Output("r.json")
