"""Shorter designs for the checks that run every time."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def few_draws(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer draws of the prior: they matter only to loss, distance and fidelity."""
    if request.node.get_closest_marker("slow") is None:
        monkeypatch.setattr("privopt.mechanisms.private_data.DRAWS", 16, raising=False)
