"""What may be asked of a ledger: what was spent and left, what happened. Nothing here writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from privopt.errors import InputError
from privopt.ledger import chain, inspection
from privopt.ledger.budget import Budget
from privopt.ledger.entry import Entry
from privopt.ledger.events import Event, history, recent
from privopt.ledger.row import Row, thing_digest
from privopt.ledger.share import Quota, quotas
from privopt.ledger.stores.protocol import Store
from privopt.ledger.subject import Subject
from privopt.ledger.verification import Report, verify
from privopt.show.pictures.picture import Picture
from privopt.show.result import Result
from privopt.show.view import View

__all__ = ["ReadLedger"]


class ReadLedger(Result):
    """A ledger, to look at; `Ledger` is one that can be charged too.

    Attributes
    ----------
    store
        Where it is kept.
    """

    store: Store

    @property
    def place(self) -> str:
        """The path of its file, or the address of its store."""
        return self.store.place

    @property
    def path(self) -> Path:
        """The file; of a ledger in another store, use `place`."""
        return Path(self.place)

    @property
    def quotas(self) -> tuple[Quota, ...]:
        """Every quota in force, with what is spent and left of it."""
        with self.store.reading() as transaction:
            return quotas(transaction)

    def released(self, key: str) -> bool:
        """Whether an output was stored under a key."""
        with self.store.reading() as transaction:
            row = chain.row_of_key(transaction, thing_digest(key))
            return row is not None and chain.output_of(transaction, row.seq) is not None

    def fetch(self, *, row: int | None = None, key: str | None = None) -> bytes:
        """A stored output once more, to the byte: without charge, and d is not read.

        Parameters
        ----------
        row
            Row of the charge, or of the output.
        key
            The key it was released under; one of both.

        Raises
        ------
        InputError
            There is no such charge.
        BurntError
            Its output was never stored.
        LedgerError
            It was redacted, or the ledger is damaged.
        """
        inspection.check_key(key)
        if (row is None) == (key is None):
            raise InputError("row and key were given, or neither.", "one of them.", "row=2.")
        with self.store.reading() as transaction:
            return inspection.output(transaction, row, key)

    def find(self, row: int) -> tuple[Row | None, Row | None]:
        """A row and, if it is a charge, that of its output; None where there is none."""
        with self.store.reading() as transaction:
            if not 1 <= row <= chain.last(transaction).seq:
                return None, None
            return chain.read(transaction, row), chain.output_of(transaction, row)

    def why_not_stored(self, entry: Entry | None, digest: str | None) -> str | None:
        """Why this is not a charge here, or not its output, by digest; None: it is.

        Whether the rows are as they were written, `verify` says. Of an output that was redacted the
        digest is left. With None for a digest, only the charge is looked for.
        """
        if entry is None:
            return "it names no ledger: it was made without one"
        if entry.dataset != self.dataset:
            return f"it is of the dataset {entry.dataset!r}; the ledger is of {self.dataset!r}"
        charge, output = self.find(entry.row)
        if charge is None or charge.kind != "charge" or charge.digest.hex() != entry.digest:
            return f"row {entry.row} of the ledger is not its charge"
        if charge.charge.texts != (entry.epsilon, entry.delta):
            return f"row {entry.row} charged another epsilon or delta"
        stored = None if output is None or output.output_digest is None else output.output_digest
        if stored is None:
            return f"nothing is stored for row {entry.row}"
        if digest is not None and stored.hex() != digest:
            return f"what is stored for row {entry.row} is something else"
        return None

    @property
    def spent(self) -> Budget:
        """The sum of all charges, exactly."""
        return self._last().spent.budget

    @property
    def limit(self) -> Budget:
        """The limit in force."""
        return self._last().limit.budget

    @property
    def left(self) -> Budget:
        """What may still be charged."""
        row = self._last()
        return row.limit.minus(row.spent).budget

    @property
    def subject(self) -> Subject:
        """Dataset, alpha and private set."""
        with self.store.reading() as transaction:
            return chain.subject_of(transaction)

    @property
    def dataset(self) -> str:
        """The curator's name for the data."""
        return self.subject.dataset

    @property
    def head(self) -> tuple[int, str]:
        """Row number and digest of the last row: note it elsewhere, and give it to `verify`."""
        row = self._last()
        return row.seq, row.digest.hex()

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that happened, in order."""
        return tuple(self.history())

    def history(self) -> Iterator[Event]:
        """Everything that happened, in order, read as it is asked for."""
        return history(self.store.reading)

    def recent(self, count: int) -> tuple[Event, ...]:
        """The last events, in order; what came before them is not read."""
        return recent(self.store.reading, count)

    def verify(self, head: tuple[int, str] | None = None) -> Report:
        """Check every row, the sums and the tables.

        Parameters
        ----------
        head
            A head noted earlier: then also that nothing up to it was rewritten since.

        Raises
        ------
        LedgerError
            Its `row` is the first bad row.
        """
        return verify(self.store.reading, self.store.drive, head)

    def close(self) -> None:
        """Close the file. It opens again when next used."""
        self.store.close()

    def __repr__(self) -> str:
        row = self._last()
        spent = f"spent {row.spent.budget} of {row.limit.budget}"
        return f"Ledger({self.dataset!r}, {spent}; {self.place})"

    def view(self, last: int = 0) -> View:
        """What was spent, what is left, and the events; if a number is given, the last ones."""
        return inspection.view(self, last)

    def to_pandas(self) -> Any:  # noqa: ANN401 -- pandas is optional
        """A row for each event; amounts as floats."""
        return inspection.table(self.events).to_pandas()

    def plot(self) -> Picture:
        """What was spent, row by row, below the limit."""
        return inspection.plot(self)

    def _last(self) -> Row:
        with self.store.reading() as transaction:
            return chain.last(transaction)
