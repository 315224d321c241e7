"""Jobs are about what is asked; how dear a decision is on average is not looked at."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def quick(few_draws: None) -> None:
    """Quick decisions."""
