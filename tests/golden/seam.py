"""The one seam for golden jobs: noise that repeats itself, and a clock that stands still."""

from __future__ import annotations

import datetime
import types
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from tests.deterministic import Deterministic

from privopt.ledger import writing

_DATE = datetime.datetime(2026, 5, 1, 10, tzinfo=datetime.UTC)


class _Stopped(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return _DATE if tz is None else _DATE.astimezone(tz)


@contextmanager
def repeatable(seed: int) -> Generator[pytest.MonkeyPatch]:
    """The same noise in the same order, and one date, until the context ends."""
    clock = types.SimpleNamespace(datetime=_Stopped, UTC=datetime.UTC)
    with pytest.MonkeyPatch.context() as patch:
        Deterministic(seed=seed).install(patch)
        patch.setattr(writing, "datetime", clock)
        patch.setattr("privopt.kernel.releasing.now", writing.now)
        yield patch
