"""The networks of PGLib by name: each is a file, the smallest come first."""

from __future__ import annotations

import itertools

import pytest

from privopt.errors import InputError
from privopt.networks.locate import find, names, short_name


def test_each_name_is_a_file_that_holds_so_many_buses() -> None:
    listed = names()
    assert len(listed) == len(set(listed)) > 50
    sizes = [int("".join(itertools.takewhile(str.isdigit, name))) for name in listed]
    assert sizes == sorted(sizes)
    for name in listed[:10]:
        text = find(name).read_text(encoding="utf-8")
        buses = text.partition("mpc.bus = [")[2].partition("];")[0].strip().splitlines()
        assert len(buses) == sizes[listed.index(name)]


@pytest.mark.parametrize(
    "name", ["118_ieee", "case118_ieee", "pglib_opf_case118_ieee", " 118_ieee "]
)
def test_prefixes_and_blanks_are_left_out(name: str) -> None:
    assert find(name).name == "pglib_opf_case118_ieee.m"
    assert short_name(name.strip()) == "118_ieee"


def test_heavier_loads_are_networks_of_their_own() -> None:
    assert len({find(f"118_ieee{kind}") for kind in ("", "__api", "__sad")}) == 3


def test_a_name_that_is_none_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean '118_ieee'") as caught:
        find("118_iee")
    assert "privopt networks" in caught.value.remedy
    with pytest.raises(InputError):
        find("")
