"""`.ci/run` demands a browser and a server; elsewhere tests that need them are skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.conftest import REQUIRE, REQUIRE_SERVER, pytest_runtest_setup

RUN = Path(__file__).parent.parent / ".ci" / "run"


def ran(folder: Path, **tools: str) -> tuple[int, list[str]]:
    """Exit code of `.ci/run` and what its `make` was told, with these tools and no others."""
    bash, place = shutil.which("bash") or "", folder / "bin"
    place.mkdir()
    for name in ("dirname", "bash"):
        (place / name).symlink_to(shutil.which(name) or "")
    told = f'echo "$1 ${REQUIRE}${REQUIRE_SERVER}" >> {folder}/made'
    for name, text in ({"make": told} | tools).items():
        (place / (name if name.startswith("pg_") else name.replace("_", "-"))).write_text(
            f"#!{bash}\n{text}\n"
        )
        (place / (name if name.startswith("pg_") else name.replace("_", "-"))).chmod(0o755)
    environment = {"PATH": str(place)}
    code = subprocess.run([bash, RUN], env=environment, check=False).returncode
    made = folder / "made"
    return code, made.read_text().splitlines() if made.exists() else []


def test_with_a_browser_its_tests_must_run(tmp_path: Path) -> None:
    tools = {"chromium": "exit 0", "pg_ctlcluster": "exit 0"}
    assert ran(tmp_path, **tools) == (0, ["lint 11", "test 11", "long 11"])


def test_one_that_can_be_installed_is(tmp_path: Path) -> None:
    assert ran(tmp_path, apt_get="exit 0") == (0, ["lint 11", "test 11", "long 11"])


@pytest.mark.parametrize("there", ["chromium", "pg_ctlcluster"])
def test_without_the_other_nothing_lands(tmp_path: Path, there: str) -> None:
    code, made = ran(tmp_path, apt_get="exit 1", **{there: "exit 0"})
    assert code != 0
    assert made == []


@pytest.mark.parametrize("fails", ["update", "install"])
def test_without_a_browser_nothing_lands(tmp_path: Path, fails: str) -> None:
    code, made = ran(tmp_path, apt_get=f'[ "$1" != {fails} ]')
    assert code != 0
    assert made == []


@pytest.mark.parametrize(
    ("found", "required", "outcome"),
    [(True, "1", None), (True, "", None), (False, "1", "fail"), (False, "", "skip")],
)
def test_a_skipped_browser_test_fails_where_one_is_required(
    monkeypatch: pytest.MonkeyPatch, found: bool, required: str, outcome: str | None
) -> None:
    monkeypatch.setenv(REQUIRE, required)
    mark = SimpleNamespace(kwargs={"found": found})
    item: Any = SimpleNamespace(get_closest_marker=lambda _: mark)
    raised = {"fail": pytest.fail.Exception, "skip": pytest.skip.Exception}
    if outcome is None:
        pytest_runtest_setup(item)
    else:
        with pytest.raises(raised[outcome], match="no browser"):
            pytest_runtest_setup(item)
    assert os.environ[REQUIRE] == required
