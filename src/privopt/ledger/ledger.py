"""The ledger: every release about one dataset is charged before d is read.

The protocol of `charge`:

    1. take the turn of the key                     (others with the same key wait)
    2. BEGIN IMMEDIATE; look up the key             released: replay the stored bytes, free
                                                    another request: refuse
                                                    charged without output: burnt, refuse
       spent + charge <= limit, in integers         or refuse
       append the charge to the chain; COMMIT       on the disk from here on
    3. make the output                              only now is d read and noise drawn
    4. append the output; COMMIT                    only now can it be returned
    5. return it

Whatever stops the process (an exception, Ctrl-C, SIGKILL), no output exists without its charge. A
charge without output stays spent. An exception or a Ctrl-C carries a note that names the row, and
says whether its output is kept (`standing`). Whether a charge is refused depends on public
parameters only. Power loss is covered as far as the disk keeps what it reports as written.

A ledger is one file: it may be moved, renamed and copied while nobody writes to it. Under another
name, or as another file, its first write is preceded by a check of every row, and a row that says
so. A file with two names (a hard link) is refused.

A ledger counts what goes through it. It cannot see releases made without it, a second ledger for
the same data, a copy that is used beside the original, or a file that was replaced by an older
copy.
"""

from __future__ import annotations

import datetime
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from privopt.errors import BurntError, InputError, LedgerError, PrivoptError
from privopt.files import beside_database
from privopt.ledger import chain, inspection, ledger_view, schema
from privopt.ledger.budget import Budget
from privopt.ledger.drive import check_drive
from privopt.ledger.entry import Entry
from privopt.ledger.opening import Given, check_given, create, migrate, take_over
from privopt.ledger.protocol import admit, consider, finish, stored
from privopt.ledger.redaction import redact
from privopt.ledger.request import Request, private_set
from privopt.ledger.row import thing_digest
from privopt.ledger.settling import subject_of
from privopt.ledger.standing import charged, standing
from privopt.ledger.store import Store
from privopt.ledger.subject import Subject
from privopt.ledger.turn import turn
from privopt.ledger.verification import Report, verify
from privopt.scalars import real
from privopt.show.result import Result
from privopt.show.view import View

__all__ = ["Ledger"]

_T = TypeVar("_T")


class Ledger(Result):
    """What has been spent on one dataset, in one file.

    Parameters
    ----------
    path
        The file; made if there is none (then `limit` is needed).
    limit
        The most that all releases together may cost. Of an existing ledger it must be the limit
        in force; change that with `set_limit`.
    dataset
        The curator's name for the data; the file's name without ending unless given.
    alpha, private
        What neighbours are: the largest change of one private entry, and the names of the private
        entries. What is not given, the first charge settles.
    read_only
        Only look: nothing is written, charges are refused.
    timeout
        Longest wait for other processes, in seconds.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        limit: Budget | None = None,
        *,
        dataset: str | None = None,
        alpha: float | None = None,
        private: Iterable[object] | None = None,
        read_only: bool = False,
        timeout: float = 60.0,
    ) -> None:
        given = Given(
            limit=limit,
            dataset=dataset,
            alpha=alpha,
            private=None if private is None else private_set(private),
        )
        self.path = _resolved(path)
        if not read_only and beside_database(self.path.name):
            raise LedgerError(
                f"{self.path.name} is the name of a file that SQLite keeps beside another ledger; "
                "a ledger of that name would lock the other one.",
                "a name that does not end in -journal, -wal or -shm.",
                "choose another name, such as loads.ledger.",
            )
        self.drive = check_drive(self.path)
        wait = real(timeout, "timeout", "seconds, 0 to 86400.", "use 60.", low=0.0, high=86400.0)
        if (read_only or limit is None) and _is_blank(self.path):  # SQLite would begin a database
            raise LedgerError(
                f"{self.path} is empty."
                if self.path.exists()
                else f"there is no ledger at {self.path}.",
                "a ledger, or a limit with which to make one.",
                "check the path, or Ledger(path, limit=Budget(epsilon, delta)).",
            )
        self._mine = threading.local()  # what this thread charged last
        self._store = Store(
            self.path, read_only=read_only, timeout=wait, make=limit is not None and not read_only
        )
        with self._store.reading(any_format=True) as connection:
            form = schema.format_of(connection, self.path)
        if form is not schema.Format.CURRENT:
            self._bring_forward(given)
        # Who only looks may look at a damaged file too: `verify` then finds its first bad row.
        if not read_only or given != Given(None, None, None, None):
            with self._store.reading() as connection:
                check_given(given, subject_of(connection), chain.last(connection).limit)

    def _bring_forward(self, given: Given) -> None:
        """Make a new ledger, or bring an older one to this format; in memory, if only to look."""
        home = self._store.home
        if self._store.read_only:
            self._store.freeze(lambda copy: migrate(copy, _now(), home))
            return
        with self._store.writing(any_format=True) as connection:
            form = schema.format_of(connection, self.path)
            if form is schema.Format.EMPTY:
                create(connection, self.path, given, _now(), home)
            elif form is schema.Format.OLDER:
                migrate(connection, _now(), home)

    def charge(
        self, request: Request, make: Callable[[Entry], bytes], key: str | None = None
    ) -> bytes:
        """Charge a request, make its output, store it and return it.

        Parameters
        ----------
        request
            The public parameters.
        make
            Reads d, draws noise and returns the release as bytes, with the entry of its charge;
            called once at most, and only when the charge is on the disk.
        key
            Under the same key the same request is charged once: later calls return the same bytes,
            free. Without a key each call is a new release.

        Raises
        ------
        BudgetExceededError
            The charge does not fit what is left.
        KeyUsedError, BurntError
            The key stands for another request; it was charged and its output never stored.
        LedgerError
            Anything else that keeps the charge from being written. Nothing is released.
        """
        if not isinstance(request, Request) or not callable(make):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError("this is no request with a maker.", "a Request.", "see Request.of.")
        _check_key(key)
        admitted: list[Entry | bytes] = []  # if a COMMIT is interrupted, there is a step, too

        def admission(connection: sqlite3.Connection, head: chain.Row) -> Entry | bytes:
            admitted[:] = [admit(connection, head, request, key, _now())]
            return admitted[0]

        try:
            with turn(self.path, key, self._store.timeout):
                step = self._write(admission)
                if not isinstance(step, Entry):
                    return step
                try:
                    output = make(step)
                except BaseException as error:
                    error.add_note(charged(step.row))
                    raise
                self._keep(step, output)
                return output
        except BaseException as error:
            self._mine.charges = admitted
            self.tell(error)
            raise
        finally:
            self._mine.charges = admitted

    def tell(self, error: BaseException) -> None:
        """Add to what stopped a release, as a note, what became of its charge.

        Nothing is added where nothing was charged by the last call of `charge` in this thread, or
        where the error says it already.
        """
        told = isinstance(error, PrivoptError) or getattr(error, "__notes__", None)
        for step in getattr(self._mine, "charges", ()):
            if isinstance(step, Entry) and not told:
                error.add_note(standing(self.find, step, self.path))

    def _keep(self, step: Entry, output: bytes) -> None:
        """Store an output; if that fails it must not be returned."""
        try:
            if not isinstance(output, bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InputError("the output is no bytes.", "bytes.", "return bytes.")
            self._write(lambda connection, head: finish(connection, head, step, output))
        except PrivoptError as error:
            raise BurntError(
                f"row {step.row} was charged, but its output could not be stored: {error.got}",
                error.needed,
                f"{error.remedy} Then make a new release under a new key: the charge stays.",
                step.row,
            ) from None

    def set_limit(self, limit: Budget) -> None:
        """Raise or lower the limit, on record. Below what is spent, nothing more is released."""
        if not isinstance(limit, Budget):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"limit is {limit!r:.40}.", "a Budget.", "Budget(epsilon, delta).")
        self._write(
            lambda connection, head: chain.append(
                connection, head.after("limit", limit=limit.limit, time=_now())
            )
        )

    def rehearse(self, request: Request, key: str | None = None) -> bool:
        """Whether a charge would be replayed, free; raises what `charge` would. Only reads."""
        _check_key(key)
        with self._store.reading() as connection:
            return isinstance(consider(connection, chain.last(connection), request, key), bytes)

    def released(self, key: str) -> bool:
        """Whether an output was stored under a key."""
        with self._store.reading() as connection:
            row = chain.row_of_key(connection, thing_digest(key))
            return row is not None and chain.output_of(connection, row.seq) is not None

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
        _check_key(key)
        if (row is None) == (key is None):
            raise InputError("row and key were given, or neither.", "one of them.", "row=2.")
        with self._store.reading() as connection:
            last, found = chain.last(connection).seq, None
            if key is not None:
                found = chain.row_of_key(connection, thing_digest(key))
            elif row is not None and 1 <= row <= last:
                found = chain.read(connection, row)
            if found is not None and found.kind == "output":
                found = chain.read(connection, found.of or 0)
            name = f"row {row}" if key is None else f"the key {key!r}"
            if found is None or found.kind != "charge":
                raise InputError(
                    f"{name} is no charge of this ledger.",
                    "the row or the key of a charge.",
                    "`privopt ledger show` lists them.",
                )
            return stored(connection, found.seq, name)

    def find(self, row: int) -> tuple[chain.Row | None, chain.Row | None]:
        """A row and, if it is a charge, that of its output; None where there is none."""
        with self._store.reading() as connection:
            if not 1 <= row <= chain.last(connection).seq:
                return None, None
            return chain.read(connection, row), chain.output_of(connection, row)

    def redact(self, row: int) -> None:
        """Blank key, request and output of a charge, for good; the charge and the chain stay.

        The key still counts as used: it cannot be replayed, and is not charged anew.
        """
        self._write(lambda connection, head: redact(connection, head, row, _now()))

    def _write(self, work: Callable[[sqlite3.Connection, chain.Row], _T]) -> _T:
        """Do some work in a transaction, given the last row; first take a moved file over."""
        while True:
            with self._store.writing() as connection:
                head, home = chain.last(connection), self._store.home
                if head.home == home:
                    return work(connection, head)
                # In a transaction of its own: see `journal`.
                take_over(connection, head, _now(), home)
            self._store.close()

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
        with self._store.reading() as connection:
            return subject_of(connection)

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
    def events(self) -> tuple[inspection.Event, ...]:
        """Everything that happened, in order."""
        return inspection.events_of(self._store.reading)

    def recent(self, count: int) -> tuple[inspection.Event, ...]:
        """The last events, in order; what came before them is not read."""
        return inspection.events_of(self._store.reading, count)

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
        return verify(self._store.reading, self.drive, head)

    def close(self) -> None:
        """Close the file. It opens again when next used."""
        self._store.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        row = self._last()
        return (
            f"Ledger({self.dataset!r}, spent {row.spent.budget} of {row.limit.budget}; {self.path})"
        )

    def _view(self) -> View:
        return ledger_view.view(self)

    def plot(self) -> Any:  # noqa: ANN401 -- a plotly figure; plotly has no types
        """What was spent, row by row, below the limit."""
        return ledger_view.plot(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (str(self.path), self._store.read_only, self._store.timeout)

    def _last(self) -> chain.Row:
        with self._store.reading() as connection:
            return chain.last(connection)


def _reopen(path: str, read_only: bool, timeout: float) -> Ledger:
    return Ledger(path, read_only=read_only, timeout=timeout)


def _resolved(path: Any) -> Path:  # noqa: ANN401 -- the edge
    try:
        resolved = Path(path).absolute().resolve()
        # SQLite would wait at a pipe for ever.
        usable = resolved.is_file() or (resolved.parent.is_dir() and not resolved.exists())
    except (TypeError, ValueError, OSError, RuntimeError):
        usable, resolved = False, Path()
    if not usable:
        raise InputError(
            f"path is {path!r:.80}.", "a file in a folder that exists.", "check the path."
        )
    return resolved


def _is_blank(path: Path) -> bool:
    """Whether there is no file, or one that holds nothing."""
    try:
        return path.stat().st_size == 0
    except OSError:
        return not path.exists()


def _check_key(key: Any) -> None:  # noqa: ANN401 -- the edge
    sound = key is None or (isinstance(key, str) and 1 <= len(key) <= 200 and key.isprintable())
    if not sound:
        raise InputError(
            f"key is {key!r:.40}.",
            "a printable string of 1 to 200 characters, or None.",
            'name the release, as in key="loads-2026-05".',
        )


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
