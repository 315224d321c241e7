"""The folder is there whole, or not at all; nothing that was there is touched."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from privopt.errors import InputError
from privopt.report.evidence.writing import filled_folder, sums, write, write_manifest


def test_a_folder_gets_its_name_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "evidence"
    with filled_folder(target) as part:
        write(part, "releases/a.json", "{}")
        assert not target.exists()
        assert part.parent == tmp_path
    assert (target / "releases" / "a.json").read_text() == "{}"
    assert [path.name for path in tmp_path.iterdir()] == ["evidence"]


@pytest.mark.parametrize("stop", [RuntimeError, KeyboardInterrupt])
def test_what_is_stopped_leaves_nothing(tmp_path: Path, stop: type[BaseException]) -> None:
    with pytest.raises(stop), filled_folder(tmp_path / "evidence") as part:  # noqa: PT012
        write(part, "a.json", "{}")
        raise stop
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    before = sorted(path.name for path in tmp_path.iterdir())
    for name in before:
        with pytest.raises(InputError, match="is there already"), filled_folder(tmp_path / name):
            pass
    for bad in ("none/evidence", "a\0b"):
        with pytest.raises(InputError, match="cannot be a new folder"), filled_folder(
            tmp_path / bad
        ):  # fmt: skip
            pass
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert (tmp_path / "file").read_text() == "mine"


def test_what_comes_meanwhile_stays(tmp_path: Path) -> None:
    target = tmp_path / "evidence"
    with pytest.raises(InputError, match="there already"), filled_folder(target) as part:  # noqa: PT012
        write(part, "a.json", "{}")
        target.mkdir()
    assert list(target.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir()] == ["evidence"]


def test_the_sums_are_those_of_sha256sum(tmp_path: Path) -> None:
    write(tmp_path, "releases/a.json", "{}")
    write(tmp_path, "b.txt", b"text")
    write_manifest(tmp_path, {"head": [1, "x"]})
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["head"] == [1, "x"]
    assert manifest["files"] == {
        "b.txt": hashlib.sha256(b"text").hexdigest(),
        "releases/a.json": hashlib.sha256(b"{}").hexdigest(),
    }
    assert set(sums(tmp_path)) == {"b.txt", "releases/a.json", "manifest.json", "SHA256SUMS"}
    program = shutil.which("sha256sum")
    if program is None:
        pytest.skip("sha256sum is not installed")
    command = [program, "-c", "--strict", "--quiet", "SHA256SUMS"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    (tmp_path / "b.txt").write_text("other")
    done = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True)
    assert done.returncode == 1
