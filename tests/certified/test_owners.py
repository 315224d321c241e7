"""Neighbours of every kind, in exact fractions from saved files: each within what is charged.

The adversary moves one entry, or the entries of one owner, as far as the relation allows: with
signs that add up in a sum, with random signs, a total split among them; data lie inside, at the
ends, outside of the domain, across steps of the grid and between floats.
"""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from tests.certified.checks import BrokenError, check_measurement, check_privacy
from tests.certified.neighbours import of_one_entry, of_one_owner
from tests.certified.stored import read
from tests.kernel.instruments import program, random_instrument

import privopt as po
from privopt.kernel.instrument import Instrument


def check_instruments(folder: Path, count: int, each: int, *, owners: bool) -> None:
    """Random instruments; for some of them the bound is reached, so that a smaller one is seen."""
    rng, worst, path = np.random.default_rng(18), 0.0, folder / "instrument.json"
    for turn in range(count):
        made = random_instrument(rng, owners=owners)
        made.save(path)
        stored = read(path)
        pairs = list(of_one_owner(stored, rng, each))
        pairs += [] if owners else list(of_one_entry(stored, rng, each))
        worst = max(worst, check_privacy(path, pairs))
        again = made if turn % 4 else Instrument.load(path)
        assert again.privacy == made.privacy
        check_measurement(again, path, [pair[0] for pair in pairs[:12]])
    assert worst > 1 - 1e-9


@pytest.mark.long
@pytest.mark.parametrize("owners", [False, True])
def test_measurements_move_by_no_more_than_is_charged(owners: bool, tmp_path: Path) -> None:
    check_instruments(tmp_path, 40, 24, owners=owners)


@pytest.mark.slow
@pytest.mark.parametrize("owners", [False, True])
def test_a_thousand_instruments(owners: bool, tmp_path: Path) -> None:
    check_instruments(tmp_path, 1000, 60, owners=owners)


@pytest.mark.parametrize("name", ["scale", "sensitivity"])
def test_a_smaller_charge_would_be_seen(name: str, tmp_path: Path) -> None:
    """Noise a thousandth too small, or calibrated to a thousandth less."""
    asked = po.Laplace(epsilon=1.0, alpha=0.1, owners=[0, 0, 1, 1])
    sums = [[1.0, 1.0, 0.0, -1.0], [0.0, 0.5, 1.0, 1.0]]
    one = Instrument(sums, program=program(4), privacy=asked, domain=po.Box(0.5, 1.3))
    data = one.to_dict()
    less = data["calibration"] | {name: 0.999 * data["calibration"][name]}
    path = tmp_path / "less.json"
    path.write_text(json.dumps(data | {"calibration": less}))
    stored, rng = read(path), np.random.default_rng(0)
    with pytest.raises(BrokenError, match="privacy"):
        check_privacy(path, chain(of_one_owner(stored, rng, 60), of_one_entry(stored, rng, 60)))
