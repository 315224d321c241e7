"""Small matrices: one thread each."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from privopt.solving.threads import one_thread


@pytest.fixture(autouse=True)
def _single_thread() -> Generator[None]:  # pyright: ignore[reportUnusedFunction]
    with one_thread():
        yield
