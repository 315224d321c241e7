"""A head that was noted: `ROW:DIGEST`, given as text. It stays as it is."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from privopt.ledger.anchors.protocol import Mark

__all__ = ["NotedAnchor"]


@dataclass
class _Noted:
    mark: Mark | None

    def advance(self, mark: Mark) -> None:
        """Nothing is kept."""


class NotedAnchor:
    """The head in a text: a `protocol.Anchor`."""

    def __init__(self, mark: Mark) -> None:
        self._mark = mark
        self.place = self.source = str(mark)

    def look(self) -> Mark | None:
        """What was noted."""
        return self._mark

    def hold(self, timeout: float) -> AbstractContextManager[_Noted]:
        """What was noted; there is nobody to wait for."""
        return nullcontext(_Noted(self._mark))
