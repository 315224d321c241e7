"""What reads d: the exact map of a file, only private entries, noise that covers the map."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.certified.stored import read
from tests.kernel.instruments import charges, made, random_instrument, saved, without_noise

import privopt as po
from privopt.errors import InputError
from privopt.kernel.instrument import Instrument


def test_a_measurement_is_the_exact_map_of_its_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without noise y is W u in exact fractions, of data inside and outside the box."""
    without_noise(monkeypatch)
    rng = np.random.default_rng(5)
    for _ in range(30):
        one = random_instrument(rng)
        one.save(tmp_path / "instrument.json")
        file = read(tmp_path / "instrument.json")
        one = Instrument.load(tmp_path / "instrument.json")
        low, high = one.domain
        for u in (low, high, rng.uniform(low - 1, high + 1), rng.uniform(low, high)):
            d = np.full(len(one.kernel.data_names), np.nan)
            d = rng.normal(size=len(d))
            d[one.kernel.private] = u
            wanted = file.values([Fraction(float(x)) for x in u])
            assert [Fraction(float(y)) for y in one.measure(d).values] == wanted


@pytest.mark.long
def test_rounding_bounds_what_grids_and_floats_move(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """|y - W u - xi| for noise of the grid, u the curator's fractions clamped to the domain."""
    rng = np.random.default_rng(6)
    nearest = Fraction(0)
    for turn in range(60):
        one = random_instrument(rng)
        assert one.calibration is not None
        grid = Fraction(2) ** one.calibration.exponent
        xi = grid * int(rng.normal() * 200 * one.calibration.scale / float(grid))
        for name in ("laplace", "gaussian", "truncated_laplace"):
            monkeypatch.setattr(
                f"privopt.noise.secure.{name}",
                lambda values, xi=xi, **_: np.array(
                    [float(Fraction(float(v)) + xi) for v in values]
                ),
            )
        one = Instrument.from_dict(one.to_dict())
        low, high = ([Fraction(float(x)) for x in end] for end in one.domain)
        W = [[Fraction(float(w)) for w in row] for row in one.W]
        for _ in range(8):
            share = [Fraction(int(rng.integers(0, 3**25)), 3**25) for _ in low]
            if turn % 3 == 0:
                share = [Fraction(int(v)) for v in rng.integers(0, 2, len(low))]
            u = [a + s * (b - a) for a, b, s in zip(low, high, share, strict=True)]
            d: list[Any] = [0.0] * len(one.kernel.data_names)
            for place, value in zip(one.kernel.private, u, strict=True):
                d[int(place)] = value
            y = one.measure(d).values
            for value, row, most in zip(y, W, one.rounding, strict=True):
                off = Fraction(float(value)) - xi - sum(w * x for w, x in zip(row, u, strict=True))
                assert abs(off) <= Fraction(float(most))
                nearest = max(nearest, abs(off) / Fraction(float(most)))
    assert nearest > Fraction(1, 50)  # it is a bound of the right size


def test_bad_data_are_refused_before_or_after_the_charge_and_never_quoted(tmp_path: Path) -> None:
    one = made({"total": [0, 1, 2]})
    with po.Ledger(tmp_path / "ledger", limit=po.Budget(9)) as ledger:
        for d in ([0.7, 0.9], [[0.7, 0.9, 1.1, 5.0]], None, "abcd"):
            with pytest.raises(InputError):
                one.measure(d, ledger)
        assert charges(ledger) == 0
        with pytest.raises(InputError) as caught:
            one.measure([0.7, np.nan, 1.1, 5.0], ledger)
        assert "0.7" not in str(caught.value)
        # What is wrong with the values is known only once they are read: the charge stands.
        assert charges(ledger) == 1


def test_entries_that_are_not_private_are_not_read() -> None:
    one = made({"total": [0, 1, 2]}, privacy=po.Laplace(epsilon=1e6, alpha=0.1))
    far = one.measure([0.7, 0.9, 1.1, 1e300]).values[0]
    assert far == pytest.approx(2.7, abs=1e-3)


def test_data_by_label(monkeypatch: pytest.MonkeyPatch) -> None:
    without_noise(monkeypatch)
    one = made([1, 10, 100])
    d = pd.Series([1.1, 0.9, 0.7, 3.0], index=["d2", "d1", "d0", "d3"])
    assert one.measure(d).values[0] == pytest.approx(0.7 + 9 + 110)


@pytest.mark.parametrize(
    "smaller", [{"sensitivity": 0.5}, {"scale": 0.5}, {"epsilon": 0.5}, {"exponent": -10}]
)
def test_noise_that_does_not_cover_the_map_is_refused(
    smaller: dict[str, float], tmp_path: Path
) -> None:
    data = saved(made({"total": [0, 1, 2]}), tmp_path)
    for name, share in smaller.items():
        data["calibration"][name] = (
            share if name == "exponent" else share * data["calibration"][name]
        )
    (tmp_path / "instrument.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match="not a whole instrument"):
        Instrument.load(tmp_path / "instrument.json")


def test_a_map_with_a_heavier_column_than_its_noise_is_refused(tmp_path: Path) -> None:
    data = saved(made({"total": [0, 1, 2]}), tmp_path)
    data["map"]["matrix"][0][1] *= 2
    (tmp_path / "instrument.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match="not a whole instrument"):
        Instrument.load(tmp_path / "instrument.json")
