"""`privopt networks`: names that can be given elsewhere, smallest first."""

from __future__ import annotations

import re

from tests.cli.running import run, shown

import privopt as po


def test_networks_are_listed() -> None:
    said = run("networks ieee__api").stdout
    assert "118_ieee__api" in said
    assert "pegase" not in said
    assert "no PGLib network has 'nowhere' in its name" in run("networks nowhere", code=2).stderr


def test_smallest_first_and_each_can_be_loaded() -> None:
    found = shown("networks")
    sizes = [int(re.findall(r"^\d+", name)[0]) for name in found]
    assert sizes == sorted(sizes)
    assert len(set(found)) == len(found)
    assert set(shown("networks 14_ieee")) == {name for name in found if "14_ieee" in name}
    first = shown("networks 3_lmbd")[0]
    assert len(po.networks.load(first).buses) == 3
