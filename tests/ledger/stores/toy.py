"""A store in memory: all that a new store has to bring."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from privopt.errors import LedgerError
from privopt.ledger.row import Row
from privopt.ledger.stores.protocol import First, missing, taken

SHELVES: dict[str, list[Row]] = {}  # by address, as they would be on a server
USER: dict[str, str] = {}  # "name": who the server knows to be asking
_LOCK = threading.Lock()


@dataclass
class ToyRows:
    """Rows in a list; the row n is at n - 1."""

    kept: list[Row]
    waits: bool = False

    def append(self, row: Row) -> None:
        self.kept.append(row)

    def blank(self, seq: int, *things: str) -> None:
        nothing: dict[str, Any] = dict.fromkeys(things)
        self.kept[seq - 1] = replace(self.kept[seq - 1], **nothing)

    def last(self) -> Row | None:
        return replace(self.kept[-1], output=None) if self.kept else None

    def largest(self) -> int:
        return len(self.kept)

    def row(self, seq: int) -> Row | None:
        return next((row for row in self.kept if row.seq == seq), None)

    def kind(self, seq: int) -> str | None:
        row = self.row(seq)
        return None if row is None else row.kind

    def row_of_key(self, digest: bytes) -> Row | None:
        return next((row for row in self.kept if row.key_digest == digest), None)

    def output_of(self, charge: int) -> Row | None:
        return next((row for row in self.kept if row.of == charge), None)

    def last_of(self, releaser: str, before: int | None = None) -> Row | None:
        kept = self.kept if before is None else self.kept[: before - 1]
        return next((row for row in reversed(kept) if row.releaser == releaser), None)

    def releasers(self) -> Iterator[str]:
        yield from sorted({row.releaser for row in self.kept if row.releaser is not None})

    def rows(self, first: int, *, back: bool = False, light: bool = False) -> Iterator[Row]:
        chosen = self.kept[first - 1 :: -1] if back else self.kept[first - 1 :]
        yield from (replace(row, output=None) if light else row for row in chosen)

    def check_last(self, row: Row) -> None:
        pass

    def check_whole(self, row: Row) -> None:
        pass


class ToyStore:
    """A list under a name."""

    drive = "in memory"
    home = b"toy".ljust(16, b"\0")

    def __init__(self, place: str | os.PathLike[str], *, read_only: bool, timeout: float) -> None:
        self.name = str(place).rpartition("/")[2]
        self.place, self.read_only, self.timeout = str(place), read_only, timeout

    @property
    def releaser(self) -> str | None:
        return USER.get("name")

    @contextmanager
    def beginning(self) -> Generator[ToyRows]:
        if not self.blank:
            raise taken(self.place)
        rows = ToyRows([])
        yield rows
        SHELVES[self.place] = rows.kept

    @property
    def blank(self) -> bool:
        return self.place not in SHELVES

    def prepare(self, first: First | None) -> None:
        if self.blank:
            if first is None:
                raise missing(self.place, empty=False)
            SHELVES[self.place] = [first(self.home)]

    def reading(self) -> AbstractContextManager[ToyRows]:
        return nullcontext(ToyRows(list(SHELVES[self.place])))

    @contextmanager
    def writing(self) -> Generator[ToyRows]:
        if self.read_only:
            raise LedgerError("it may only be read.", "the right to write.", "open it to write.")
        with _LOCK:
            rows = ToyRows(list(SHELVES[self.place]))
            yield rows
            SHELVES[self.place] = rows.kept

    def turn(self, key: str | None) -> AbstractContextManager[None]:
        return nullcontext()

    def close(self) -> None:
        pass
