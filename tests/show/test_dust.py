"""What solvers leave of a zero is shown as 0; what is small beside nothing else stays."""

from __future__ import annotations

import numpy as np

from privopt.show.dust import without_dust


def test_dust_is_nothing_beside_the_other_values() -> None:
    assert without_dust([3.65481e-23, 250.0, -1e-9]).tolist() == [0.0, 250.0, 0.0]
    assert without_dust([1e-23, 2e-23]).tolist() == [1e-23, 2e-23]
    assert without_dust([1e-23, 2e-23], size=1.0).tolist() == [0.0, 0.0]
    assert without_dust([-1e-3, 250.0]).tolist() == [-1e-3, 250.0]
    assert without_dust(np.zeros(0)).shape == (0,)
