"""Rows no draw can reach are left out; every row that some draw exceeds stays."""

from __future__ import annotations

import numpy as np

from privopt.feasibility.reach import within_reach


def test_no_exceeded_row_is_left_out() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        spread, draws = rng.normal(size=(40, 3)), rng.laplace(size=(30, 3))
        slack = rng.uniform(0, 8, 40)
        kept = within_reach(slack, spread, draws)
        exceeded = np.flatnonzero((draws @ spread.T > slack).any(axis=0))
        assert set(exceeded.tolist()) <= set(kept.tolist())
        assert len(kept) < 40
