"""What a ledger needs of the place where its rows are kept.

A store keeps rows, in order, and finds them by number, by key and by charge. It knows nothing of
budgets: what a row says, and whether the rows hold together, is checked above it (`chain`,
`verification`), on whatever a store gives back. What a store itself must promise:

- A transaction sees one state. One that writes is the only one that does. It has happened, for
  good, when its `with` block has ended; if anything was raised in the block, nothing of it has.
- No row is ever changed or removed, but that `blank` empties some of its things.
- Every error that leaves a `with` block or a call is a `LedgerError` or an `InputError`, and says
  that nothing was released. Inside a block, so is every error of `Transaction.rows`.
- It may be used by many threads and processes, across forks, and be interrupted anywhere.

A new store is one file with a class, and one line in `registry`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, runtime_checkable

from privopt.errors import Action, Clause, LedgerError
from privopt.ledger.row import Row

__all__ = ["First", "Reading", "Roles", "Store", "Transaction", "missing", "taken"]


class Transaction(Protocol):
    """The rows, inside a `with` block. Rows are given back as they are kept, unchecked."""

    @property
    def waits(self) -> bool:
        """Whether `Store.turn` waits, so that a charge found without output will never have one."""
        ...

    def append(self, row: Row) -> None:
        """Keep a sealed row after all others."""
        ...

    def blank(self, seq: int, *things: str) -> None:
        """Empty the key, the request or the output of a row, beyond recovery."""
        ...

    def last(self) -> Row | None:
        """The row of the largest number, without its output; None if there is no row."""
        ...

    def largest(self) -> int:
        """The largest number that a row ever had, remembered apart from the rows."""
        ...

    def row(self, seq: int) -> Row | None:
        """The row of a number."""
        ...

    def kind(self, seq: int) -> str | None:
        """The kind of a row, and no more of it: cheap, however long the row is."""
        ...

    def row_of_key(self, digest: bytes) -> Row | None:
        """The charge whose key has a digest."""
        ...

    def output_of(self, charge: int) -> Row | None:
        """The output of a charge, by the number of the charge."""
        ...

    def last_of(self, releaser: str, before: int | None = None) -> Row | None:
        """The last row (below a number) that names a releaser.

        Found by an index, in a time that hardly grows with the number of rows; without its output.
        """
        ...

    def releasers(self) -> Iterator[str]:
        """Each releaser that any row names, once; read as they are asked for."""
        ...

    def rows(self, first: int, *, back: bool = False, light: bool = False) -> Iterator[Row]:
        """Rows by their numbers, from one on, or back from it; read as they are asked for.

        Light ones come without output.
        """
        ...

    def check_last(self, row: Row) -> None:
        """Refuse a last row that was not written whole, by what else the store keeps of it."""
        ...

    def check_whole(self, row: Row) -> None:
        """Refuse a store that is damaged in itself; `row` is the last one."""
        ...


Reading = Callable[[], AbstractContextManager[Transaction]]
First = Callable[[bytes], Row]  # the first row of a new ledger, given its home


class Store(Protocol):
    """The place of one ledger. It opens when first used, and again after `close`.

    Attributes
    ----------
    place
        The path or the address, by which it can be opened again. It is shown: no passwords.
    name
        What a ledger that is kept here is called, unless its curator says otherwise.
    drive
        Words on where the rows lie, for the report of `verify`.
    read_only
        Whether nothing may be written.
    timeout
        Longest wait for others, in seconds.
    """

    place: str
    name: str
    drive: str
    read_only: bool
    timeout: float

    @property
    def home(self) -> bytes:
        """16 bytes that say where the rows are: others for a copy elsewhere. Asked in a block."""
        ...

    @property
    def blank(self) -> bool:
        """Whether no ledger was begun here."""
        ...

    @property
    def releaser(self) -> str | None:
        """Who the store itself knows to be writing, whatever is claimed; None if it cannot know."""
        ...

    def beginning(self) -> AbstractContextManager[Transaction]:
        """A transaction as of `writing`, where no ledger was begun yet; refused where one was.

        For the rows of a ledger that is copied from elsewhere. Until the block ends, and if it
        never does, no ledger is there.
        """
        ...

    def prepare(self, first: First | None) -> None:
        """Begin a ledger if there is none. Without a first row there must be one."""
        ...

    def reading(self) -> AbstractContextManager[Transaction]:
        """A transaction that sees one state."""
        ...

    def writing(self) -> AbstractContextManager[Transaction]:
        """A transaction that holds the only write lock; kept for good when its block ends."""
        ...

    def turn(self, key: str | None) -> AbstractContextManager[None]:
        """Of all who ask under one key, let one go on and the others wait for it.

        The turn of one who dies passes on. Without a key there is nobody to wait for.
        """
        ...

    def close(self) -> None:
        """Let go of everything that is open."""
        ...


@runtime_checkable
class Roles(Protocol):
    """What a store that knows its users has besides: who may charge the ledger, who may look."""

    def check_roles(self, names: Sequence[str]) -> None:
        """Refuse names that the store does not know, before anything is made."""
        ...

    def grant(self, releasers: Sequence[str] = (), readers: Sequence[str] = ()) -> None:
        """Let some in; for the owner."""
        ...

    def revoke(self, names: Sequence[str]) -> None:
        """Let some out; for the owner."""
        ...

    def roles(self) -> dict[str, str]:
        """Who was let in, and as what: "releaser" or "reader"."""
        ...


def missing(place: str, *, empty: bool) -> LedgerError:
    """The error of a place where no ledger was begun."""
    return LedgerError(
        f"{place} is empty." if empty else f"there is no ledger at {place}.",
        "a ledger, or a limit with which to make one.",
        ("check the path", Clause(Action.MAKE_LEDGER, ".")),
    )


def taken(place: str) -> LedgerError:
    """The error of a place that should hold nothing."""
    return LedgerError(
        f"{place} holds something already.",
        "a place where no ledger was begun.",
        "choose another place; nothing is ever written over a ledger.",
    )
