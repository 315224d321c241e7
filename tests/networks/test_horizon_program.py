"""Frames in and out of a program over a horizon."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import privopt as po
from privopt.errors import InputError
from privopt.networks import HorizonProgram, Storage


def program(**more: object) -> HorizonProgram:
    network = po.networks.load("5_pjm")
    return network.program(periods=3, profile=[0.8, 1.0, 0.9], **more)  # pyright: ignore[reportArgumentType]


def test_loads_are_what_was_put_in() -> None:
    one = program()
    loads = one.loads()
    assert loads.shape == (3, 5)
    assert list(loads.index) == ["00", "01", "02"]
    other = 0.9 * loads.iloc[::-1, ::-1]  # labels count, not the order
    moved = one.at(other)
    pd.testing.assert_frame_equal(moved.loads(), 0.9 * loads)
    np.testing.assert_array_equal(one.data(other), moved.d)
    np.testing.assert_array_equal(one.data(moved.d), moved.d)
    assert one.without_data().periods is one.periods


def test_d_is_the_frame_flattened_where_nothing_else_takes_power() -> None:
    one = program()
    np.testing.assert_allclose(one.d, one.loads().to_numpy().ravel())


def test_shunts_are_no_load() -> None:
    network = po.networks.load("300_ieee")
    assert network.buses.shunt.any()
    one = network.program(periods=2)
    np.testing.assert_allclose(one.loads().to_numpy()[1], network.buses.demand)
    np.testing.assert_allclose(one.d[:300], network.buses.demand + network.buses.shunt)


def test_a_domain_between_two_frames() -> None:
    one = program()
    loads = one.loads()
    lower, upper = one.between(0.9 * loads, 1.1 * loads).ends(one.private_names)
    np.testing.assert_allclose(lower, 0.9 * one.d)
    np.testing.assert_allclose(upper, 1.1 * one.d)


def test_solutions_and_released_values_as_frames() -> None:
    one = program(storage=[Storage(2, 1.0, 0.5)])
    best = one.solve()
    frames = one.frames(best.z)
    assert {kind: frame.shape[1] for kind, frame in frames.items()} == {
        "p": 5, "theta": 5, "charge": 1, "discharge": 1, "stored": 1,
    }  # fmt: skip
    names = ["p[3]@02", "p[3]@00", "p[1,2]@01"]
    S = po.Identity(names).matrix(one)
    few = one.frames(S @ best.z, names)["p"]
    assert few.loc["02", "3"] == frames["p"].loc["02", "3"]
    assert few.loc["01", "1,2"] == frames["p"].loc["01", "1,2"]
    assert np.isnan(few.loc["01", "3"])
    with pytest.raises(InputError, match="no value of one period"):
        one.frames([1.0], ["total"])


def test_customers_are_the_buses() -> None:
    one = program()
    assert one.periods.customers == ("1", "2", "3", "4", "5") * 3
    noise = po.Laplace(epsilon=1.0, alpha=0.1, owners=one.periods.customers)
    hours = po.Instrument(
        one.periods.totals(), program=one, privacy=noise, domain=po.Box(0.0, 10.0)
    )
    alone = po.Instrument(
        one.periods.totals(), program=one, privacy=po.Laplace(epsilon=1.0, alpha=0.1),
        domain=po.Box(0.0, 10.0),
    )  # fmt: skip
    assert hours.calibration is not None
    assert alone.calibration is not None
    assert hours.calibration.scale == pytest.approx(3 * alone.calibration.scale, rel=1e-6)


def test_a_measurement_takes_a_frame_as_d() -> None:
    one = program()
    domain = one.between(0.5 * one.loads(), 1.5 * one.loads())
    instrument = po.Instrument(
        one.periods.totals(), program=one, privacy=po.Laplace(epsilon=1e6, alpha=0.1),
        domain=domain,
    )  # fmt: skip
    measured = instrument.measure(one.data(1.1 * one.loads()))
    assert list(measured.names) == ["00", "01", "02"]
    np.testing.assert_allclose(measured.values, 1.1 * one.loads().sum(axis=1), atol=1e-3)


def test_frames_that_do_not_fit_are_refused() -> None:
    one = program()
    with pytest.raises(InputError, match="missing 5"):
        one.data(one.loads().drop(columns="5"))
    with pytest.raises(InputError, match="2 rows"):
        one.data(one.loads().iloc[:2])
