"""Measurements: files that say what was measured and no more, and refuse to say anything else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.kernel.instruments import program, random_instrument

import privopt as po
from privopt.errors import InputError
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement

NOISE = po.Laplace(epsilon=1.0, alpha=0.1)


@pytest.fixture
def measured() -> Measurement:
    W = {"total": [0, 1, 2], "first": [0]}
    one = Instrument(W, program=program(3), privacy=NOISE, domain=po.Box(0.5, 1.0))
    return one.measure([0.7, 0.8, 0.9])


def test_saved_and_loaded_it_is_the_same(measured: Measurement, tmp_path: Path) -> None:
    measured.save(tmp_path / "measurement.json")
    again = Measurement.load(tmp_path / "measurement.json")
    assert again == measured
    assert hash(again) == hash(measured)
    assert again != measured.values
    assert again.to_dict() == measured.to_dict()
    assert again.digest == measured.digest
    assert again.values.tolist() == measured.values.tolist()
    assert again.claim == measured.claim
    assert again.claim is not None
    assert again.claim.provenance is po.Provenance.PROVEN
    assert (again.epsilon, again.delta) == (measured.epsilon, 0.0)
    assert again.names == ("total", "first")
    assert np.array_equal(again.W, [[1, 1, 1], [1, 0, 0]])


@pytest.mark.parametrize(
    "change",
    [
        {"values": [1.0]},
        {"values": [1.0, 2.0, 3.0]},
        {"values": [1.0, None]},
        {"values": ["1.0", "x"]},
        {"names": ["total", "second"]},
        {"names": ["first", "total"]},
        {"epsilon": 0.5},
        {"epsilon": None},
        {"delta": -1.0},
        {"scale": 0.01},
        {"alpha": 0.2},
        {"exponent": None},
        {"exponent": 0},
        {"mechanism": "plan"},
        {"guarantee": {}},
        {"ledger": {"row": 1}},
    ],
)
def test_a_file_that_claims_what_was_not_measured_is_refused(
    measured: Measurement, change: dict[str, Any], tmp_path: Path
) -> None:
    measured.save(tmp_path / "measurement.json")
    data = json.loads((tmp_path / "measurement.json").read_text())
    data["release"] |= change
    (tmp_path / "measurement.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match="not a whole measurement"):
        Measurement.load(tmp_path / "measurement.json")


def test_values_off_the_grid_of_their_noise_are_refused(
    measured: Measurement, tmp_path: Path
) -> None:
    """No instrument makes such y: who rounded them has another measurement."""
    measured.save(tmp_path / "measurement.json")
    data = json.loads((tmp_path / "measurement.json").read_text())
    value = data["release"]["values"][0]
    data["release"]["values"][0] = np.nextafter(value, np.inf)
    (tmp_path / "measurement.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match="not a whole measurement"):
        Measurement.load(tmp_path / "measurement.json")


@pytest.mark.parametrize(
    "change",
    [
        {"release": None},
        {"release": 3},
        {"instrument": None},
        {"instrument": {}},
        {"instrument": []},
    ],
)
def test_a_file_with_a_part_missing_is_refused(
    measured: Measurement, change: dict[str, Any], tmp_path: Path
) -> None:
    measured.save(tmp_path / "measurement.json")
    data = json.loads((tmp_path / "measurement.json").read_text())
    for whole in (data | change, {k: v for k, v in data.items() if k not in change}):
        (tmp_path / "measurement.json").write_text(json.dumps(whole))
        with pytest.raises(InputError, match="not a whole measurement"):
            Measurement.load(tmp_path / "measurement.json")


def test_files_of_other_kinds_and_versions_are_refused(
    measured: Measurement, tmp_path: Path
) -> None:
    path = tmp_path / "measurement.json"
    measured.save(path)
    with pytest.raises(InputError, match="is not an instrument"):
        Instrument.load(path)
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"version": 9}))
    with pytest.raises(InputError, match="version 9"):
        Measurement.load(path)


def test_the_same_y_gives_the_same_bytes_whatever_d_was(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing but y carries d into the file, the words or the digest."""
    rng = np.random.default_rng(4)
    for name in ("laplace", "gaussian", "truncated_laplace"):
        monkeypatch.setattr(
            f"privopt.noise.secure.{name}", lambda values, k, **_: np.ldexp(np.ones(len(values)), k)
        )
    for _ in range(20):
        one = Instrument.from_dict(random_instrument(rng).to_dict())
        low, high = one.domain
        texts: set[str] = set()
        shown: set[str] = set()
        for u in (low, high, rng.uniform(low, high), np.full(len(low), 1e300)):
            d = rng.normal(size=len(one.kernel.data_names))
            d[one.kernel.private] = u
            found = one.measure(d)
            found.save(tmp_path / "measurement.json")
            texts.add((tmp_path / "measurement.json").read_text() + found.digest)
            shown.add(repr(found) + found.summary() + str(found.to_dict()))
        assert len(texts) == len(shown) == 1


def test_a_picture_of_nothing_is_refused_in_our_words() -> None:
    nothing = Instrument({}, program=program(3), privacy=NOISE, domain=po.Box(0.5, 1.0))
    found = nothing.measure([0.5, 0.5, 0.5])
    assert "Nothing was measured" in found.summary()
    assert "nothing" in repr(found)
    with pytest.raises(InputError, match="nothing was measured"):
        found.plot()
