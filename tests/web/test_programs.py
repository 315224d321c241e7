"""Programs of forms: read once, and of a case file the public part alone."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from privopt.errors import InputError
from privopt.networks.locate import find
from privopt.web.programs import Programs


@pytest.fixture
def case(tmp_path: Path) -> Path:
    """A case file of one's own, with a load that no one else may see."""
    text = find("3_lmbd").read_text()
    assert "\t 110.0\t" in text
    path = tmp_path / "own.m"
    path.write_text(text.replace("\t 110.0\t", "\t 117.31\t"))
    return path


def test_a_network_is_read_once(tmp_path: Path) -> None:
    programs = Programs(tmp_path)
    entries = {"network": "3_lmbd"}
    assert programs.source_of(entries) is programs.source_of(dict(entries))
    assert programs.drawn_of(entries) is programs.drawn_of(dict(entries))
    assert set(Programs(tmp_path, placed=False).drawn_of(entries).x) == {0.0}


def test_the_loads_of_a_case_file_are_not_here(case: Path, tmp_path: Path) -> None:
    folder = tmp_path / "session"
    folder.mkdir()
    programs, entries = Programs(folder), {"case": str(case), "unit": "MW"}
    source = programs.source_of(entries)
    assert source.own is None
    assert source.loads is None
    assert len(programs.drawn_of(entries).nodes) == 3
    kept = [path.read_text() for path in folder.iterdir()]
    assert len(kept) == 2
    assert not any("117.31" in text or "1.1731" in text for text in kept)
    first = source
    time.sleep(0.01)
    case.write_text(case.read_text() + "\n")
    assert programs.source_of(entries) is not first


def test_what_is_wrong_with_a_case_file_is_told(tmp_path: Path) -> None:
    bad = tmp_path / "bad.m"
    bad.write_text("mpc.bus = [ 117.31 ];")
    with pytest.raises(InputError) as caught:
        Programs(tmp_path).source_of({"case": str(bad)})
    assert caught.value.remedy
    assert "117.31" not in str(caught.value)
