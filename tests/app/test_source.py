"""The program of a job: nothing private is in it, and what is public is as in its file."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import privopt as po
from privopt.app.source import source_of
from privopt.errors import InputError
from privopt.networks.locate import find


@pytest.fixture
def own(tmp_path: Path) -> str:
    """A network as a file of one's own."""
    return str(shutil.copy(find("5_pjm"), tmp_path / "own.m"))


def test_a_network_s_loads_are_public_and_those_of_a_file_are_not(own: str) -> None:
    network = po.networks.load("5_pjm")
    listed, file = source_of({"network": "5_pjm"}), source_of({"case": own})
    for source in (listed, file):
        assert not source.program.has_data
        assert source.public is None  # all of d is private
        assert np.array_equal(np.asarray(source.own), network.program().d)
    box = listed.around(0.1)
    assert np.allclose(box.upper - box.lower, 0.2 * np.abs(network.buses.demand))
    assert np.allclose((box.upper + box.lower) / 2, network.program().d)
    with pytest.raises(InputError, match="no PGLib network"):
        file.around(0.1)


@pytest.mark.parametrize("model", ["powermodels", "matpower"])
def test_public_entries_are_known_to_a_design_and_private_ones_are_zero(model: str) -> None:
    source = source_of({"network": "14_ieee", "private": ["demand[2]", 3], "model": model})
    d = po.networks.load("14_ieee").program(model).d
    expected = d.copy()
    expected[[1, 3]] = 0.0
    assert source.program.private.tolist() == [1, 3]
    assert np.array_equal(source.designable.d, expected)


def test_a_program_file_must_know_its_public_entries(tmp_path: Path) -> None:
    path = tmp_path / "program.json"
    program = po.ConvexProgram(
        linear=[1.0, 2.0], G=[[1, 1], [0, 1]], d=[3.0, 1.25], lower=0, upper=4,
        data_names=["load", "contract"], private=["load"],
    )  # fmt: skip
    po.PublicProgram(program).save(path)
    source = source_of({"file": str(path)})
    assert source.own is None
    assert source.designable.d.tolist() == [0.0, 1.25]
    assert source_of({"file": str(path), "private": ["load", "contract"]}).public is None
    with pytest.raises(InputError, match="no value for 'load', which is not private"):
        source_of({"file": str(path), "private": ["contract"]})


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ({}, "names no program"),
        ({"network": "some/where.m"}, "case = "),
        ({"network": "own.m"}, "case = "),
        ({"case": "none.m"}, "there is no file"),
        ({"file": "program.json", "model": "matpower"}, "model beside file"),
    ],
)
def test_what_names_no_program_is_refused(entries: dict[str, str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        source_of(entries)
