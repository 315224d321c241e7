"""Seeds and generators."""

from __future__ import annotations

import numpy as np
import pytest

from privopt.errors import InputError
from privopt.mechanisms.randomness import generator_of


def test_a_seed_repeats_and_a_generator_goes_on() -> None:
    assert generator_of(3).random() == generator_of(np.int64(3)).random()
    assert generator_of(None).random() != generator_of(None).random()
    own = np.random.default_rng(0)
    assert generator_of(own) is own


@pytest.mark.parametrize("bad", [-1, 1.5, "seed", [1]])
def test_anything_else_is_refused(bad: object) -> None:
    with pytest.raises(InputError, match="rng"):
        generator_of(bad)
