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
charge without output stays spent. Whether a charge is refused depends on public parameters only.
Power loss is covered as far as the disk keeps what it reports as written.

A ledger counts what goes through it. It cannot see releases made without it, a second ledger for
the same data, or a file that was replaced by an older copy.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

from privopt.accounting import chain, inspection, schema
from privopt.accounting.budget import Budget
from privopt.accounting.drive import check_drive
from privopt.accounting.entry import Entry
from privopt.accounting.opening import Given, check_given, create, migrate
from privopt.accounting.protocol import admit, finish
from privopt.accounting.request import Request, private_set
from privopt.accounting.store import Store
from privopt.accounting.subject import Subject, subject_of
from privopt.accounting.turn import turn
from privopt.errors import BurntError, InputError, LedgerError, PrivoptError
from privopt.scalars import real
from privopt.showing.figures import BLUE, ORANGE, figure, titled
from privopt.showing.result import Result
from privopt.showing.view import Note, View

__all__ = ["Ledger"]


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
        self._store = Store(self.path, read_only=read_only, timeout=wait)
        with self._store.reading() as connection:
            form = schema.format_of(connection, self.path)
        if form is not schema.Format.CURRENT:
            with self._store.writing() as connection:
                form = schema.format_of(connection, self.path)
                if form is schema.Format.EMPTY:
                    create(connection, self.path, given, _now())
                elif form is schema.Format.OLDER:
                    migrate(connection, self.path, _now())
        # Who only looks may look at a damaged file too: `verify` then finds its first bad row.
        if not read_only or given != Given(None, None, None, None):
            with self._store.reading() as connection:
                check_given(given, subject_of(connection), chain.last(connection).limit)

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
        with turn(self.path, key, self._store.timeout):
            with self._store.writing() as connection:
                step = admit(connection, request, key, _now())
            if not isinstance(step, Entry):
                return step
            try:
                output = make(step)
            except BaseException as error:
                error.add_note(f"Row {step.row} of the ledger was charged; the charge stays.")
                raise
            self._keep(step, output)
            return output

    def _keep(self, step: Entry, output: bytes) -> None:
        """Store an output; if that fails it must not be returned."""
        try:
            if not isinstance(output, bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InputError("the output is no bytes.", "bytes.", "return bytes.")
            with self._store.writing() as connection:
                finish(connection, step, output)
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
        with self._store.writing() as connection:
            row = chain.last(connection).after("limit", limit=limit.limit, time=_now())
            chain.append(connection, row)

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
        with self._store.reading() as connection:
            return inspection.events_of(connection)

    def verify(self, head: tuple[int, str] | None = None) -> inspection.Report:
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
        with self._store.reading() as connection:
            return inspection.verify(connection, self.drive, head)

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
        with self._store.reading() as connection:
            events, subject = inspection.events_of(connection), subject_of(connection)
        spent, limit = events[-1].spent, events[-1].limit
        return View(
            f"Ledger of {subject.dataset}: spent {spent} of {limit}",
            inspection.table(events),
            (
                Note(f"left: {self.left}"),
                Note(f"neighbours: {subject.neighbours}"),
                Note(f"file: {self.path}"),
            ),
            tail=True,
        )

    def plot(self) -> Any:  # noqa: ANN401 -- a plotly figure; plotly has no types
        """What was spent, row by row, below the limit."""
        events = self.events
        rows = [event.row for event in events]
        lines = (
            ("spent", [event.spent.epsilon for event in events], BLUE),
            ("limit", [event.limit.epsilon for event in events], ORANGE),
        )
        data = [
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": rows,
                "y": values,
                "name": label,
                "line": {"shape": "hv", "color": colour},
                "hovertemplate": f"row %{{x}}: {label} %{{y:.6g}}<extra></extra>",
            }
            for label, values, colour in lines
        ]
        return figure(
            data,
            f"Ledger of {self.dataset}",
            f"spent {self.spent} of {self.limit}",
            xaxis=titled("row", rangemode="tozero"),
            yaxis=titled("epsilon", rangemode="tozero"),
        )

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
