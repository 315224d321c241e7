"""Sites from a file, a frame or a dict: customers become owners, who may share entries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import privopt as po
from privopt.adapters.sites import read_sites

WHERE = {"ann": [1, 2], "bob": [2], "eve": [2, 3]}


def network() -> po.ConvexProgram:
    return po.networks.load("5_pjm").program(unit="MW")


def test_files_frames_and_dicts_say_the_same(tmp_path: Path) -> None:
    rows = [(who, bus) for who, buses in WHERE.items() for bus in buses]
    frame = pd.DataFrame(rows, columns=["customer", "bus"])
    frame.to_csv(tmp_path / "sites.csv", index=False)
    frame.to_parquet(tmp_path / "sites.parquet")
    found = [
        read_sites(source, network()).owners
        for source in (WHERE, frame, tmp_path / "sites.csv", tmp_path / "sites.parquet")
    ]
    assert all(one == found[0] for one in found)
    assert found[0]["demand[2]"] == ["ann", "bob", "eve"]
    assert found[0]["demand[4]"] == ["whoever is at demand[4]"]


def test_the_sensitivity_is_that_of_the_customer_of_most_weight() -> None:
    """ann moves two of the five entries of a total, eve two others: 2 alpha, in every family."""
    made = network()
    owners = read_sites(WHERE, made).owners
    noise = po.Laplace(epsilon=1.0, alpha=0.5, owners=owners)
    box = po.Box(0.0, 500.0)
    sums = po.Instrument({"all": range(5)}, program=made, privacy=noise, domain=box)
    each = po.Instrument(np.eye(5), program=made, privacy=noise, domain=box)
    for one in (sums, each):
        assert one.calibration is not None
        assert one.calibration.sensitivity == pytest.approx(1.0, rel=1e-6)
    again = po.Instrument.from_dict(sums.to_dict())
    assert again.privacy.neighbours == sums.privacy.neighbours
    assert "one owner (at most 2)" in sums.measure(made.d).summary().replace("\n    ", " ")


def test_a_site_is_at_a_bus_over_all_periods() -> None:
    made = po.networks.load("5_pjm").program(periods=3, unit="MW")
    owners = read_sites({"ann": 2, "bob": 2}, made).owners
    assert [name for name, own in owners.items() if "ann" in own] == [
        f"demand[2]@0{hour}" for hour in range(3)
    ]
    relation = po.Laplace(epsilon=1.0, alpha=1.0, owners=owners).aligned(made.private_names)
    assert relation.neighbours.together == 3
