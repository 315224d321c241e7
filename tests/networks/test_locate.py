"""A name or a path means one file; a path is identified by what lies there."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from privopt.errors import InputError
from privopt.networks.locate import canonical, find, fingerprint, locate


def test_a_name_is_a_file_of_the_collection() -> None:
    known = find("5_pjm")
    for name in ("5_pjm", "case5_pjm", "pglib_opf_case5_pjm"):
        assert locate(name) == known
        assert canonical(name) == fingerprint(name) == "5_pjm"


def test_a_path_stays_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for given in ("5_pjm.m", "./5_pjm", "none/5_pjm", Path("5_pjm")):
        assert locate(given) == Path(given)
        assert canonical(given) == str(Path(given))
    Path("5_pjm").write_text("a file of that name goes before the collection")
    assert locate("5_pjm") == Path("5_pjm")


def test_a_path_is_known_by_its_content(tmp_path: Path) -> None:
    one, two = tmp_path / "one.m", tmp_path / "two.m"
    for path in (one, two):
        path.write_bytes(b"mpc")
    assert fingerprint(str(one)) == fingerprint(str(two))
    assert fingerprint(str(one)) == "sha256:" + hashlib.sha256(b"mpc").hexdigest()
    two.write_bytes(b"mpd")
    assert fingerprint(str(one)) != fingerprint(str(two))


def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.m")
    (tmp_path / "folder.m").mkdir()
    for name, says in (("pipe.m", "no file"), ("folder.m", "no file"), ("none.m", "there is no")):
        with pytest.raises(InputError, match=says):
            fingerprint(str(tmp_path / name))
    for wrong in (3, None, b"5_pjm"):
        with pytest.raises(InputError, match="names no network"):
            locate(wrong)
    with pytest.raises(InputError):
        locate("x" * 5000)
