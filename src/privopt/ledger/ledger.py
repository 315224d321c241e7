"""The ledger: every release about one dataset is charged before d is read.

The protocol of `charge`:

    1. take the turn of the key                     (others with the same key wait)
    2. take the write lock; look up the key         released: replay the stored bytes, free
                                                    another request: refuse
                                                    charged without output: burnt, refuse
       spent + charge <= limit, in integers         or refuse
       append the charge to the chain; COMMIT       on the disk from here on
    3. make the output                              only now is d read and noise drawn
    4. append the output; COMMIT                    only now can it be returned
    5. return it

Whatever stops the process (an exception, Ctrl-C, SIGKILL), no output exists without its charge. A
charge without output stays spent. An exception or a Ctrl-C carries a note that names the row, and
says whether its output is kept (`inspection.standing`). Whether a charge is refused depends on
public parameters only. Power loss is covered as far as the disk keeps what it reports as written.

A ledger is one file (or lies in another store: `stores`). It may be moved, renamed and copied while
nobody writes to it. Under another name, or as another file, its first write is preceded by a check
of every row, and a row that says so. A file with two names (a hard link) is refused.

A ledger counts what goes through it. It cannot see releases made without it, or a second ledger for
the same data. A copy that is used beside the original, and a file that was replaced by an older
copy, it sees if its head is kept elsewhere (`anchor`).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from privopt.errors import BurntError, InputError, LedgerError, PrivoptError
from privopt.ledger import chain, inspection
from privopt.ledger.anchor import Anchor, Mark
from privopt.ledger.budget import Budget
from privopt.ledger.copying import copy
from privopt.ledger.entry import Entry
from privopt.ledger.opening import Given, check_given, first_row
from privopt.ledger.protocol import admit, consider, finish, redact
from privopt.ledger.reading import ReadLedger
from privopt.ledger.request import Request, private_set
from privopt.ledger.row import Row
from privopt.ledger.share import allotted, check_releaser, known_releaser
from privopt.ledger.stores.protocol import Transaction
from privopt.ledger.stores.registry import open_store
from privopt.ledger.writing import begin, check_gone, check_opened, now, written
from privopt.scalars import real

__all__ = ["Ledger"]

_T = TypeVar("_T")


class Ledger(ReadLedger):
    """What has been spent on one dataset, in one file.

    Parameters
    ----------
    path
        The file; made if there is none (then `limit` is needed). Or the address of another store,
        `scheme://...`, where there is one (`stores.registry`).
    limit
        The most that all releases together may cost. Of an existing ledger it must be the limit
        in force; change that with `set_limit`.
    dataset
        The curator's name for the data; the file's name without ending unless given.
    alpha, private
        What neighbours are: the largest change of one private entry, and the names of the private
        entries. What is not given, the first charge settles.
    releaser
        Who makes the releases: put on record with each charge, and counted against its quota
        (`set_quota`). In a store that knows its users it is the one that it knows, and another is
        refused.
    anchor
        Where the head of the ledger is kept against older copies: a small file, or a head as
        `ROW:DIGEST`. A ledger that is behind its anchor, or another one, is refused. A file follows
        each write, so that of a ledger and its copies only one can be charged; it is begun with a
        new ledger, or by `anchor_at`.
    read_only
        Only look: nothing is written, charges are refused.
    timeout
        Longest wait for other processes, in seconds.

    Attributes
    ----------
    store, anchor
        Where it is kept, and where its head is; None without an anchor.
    """

    anchor: Anchor | None

    def __init__(
        self,
        path: str | os.PathLike[str],
        limit: Budget | None = None,
        *,
        dataset: str | None = None,
        alpha: float | None = None,
        private: Iterable[object] | None = None,
        releaser: str | None = None,
        anchor: str | os.PathLike[str] | None = None,
        read_only: bool = False,
        timeout: float = 60.0,
    ) -> None:
        if releaser is not None:
            check_releaser(releaser)
        self._given = releaser
        given = Given(
            limit=limit,
            dataset=dataset,
            alpha=alpha,
            private=None if private is None else private_set(private),
        )
        wait = real(timeout, "timeout", "seconds, 0 to 86400.", "use 60.", low=0.0, high=86400.0)
        self.store = open_store(path, read_only=read_only, timeout=wait)
        self.anchor = None if anchor is None else Anchor(anchor)
        self._mine = threading.local()  # what this thread charged last
        first = None
        if self.anchor is not None:
            check_gone(self.store, self.anchor.look(), self.anchor.place)
        if limit is not None and not read_only:
            first = partial(first_row, given, limit, self.store.name, now())
        self.store.prepare(first)
        _ = self.releaser
        # Who only looks may look at a damaged file too: `verify` then finds its first bad row.
        if not read_only or given != Given():
            with self.store.reading() as transaction:
                check_given(given, chain.subject_of(transaction), chain.last(transaction).limit)
        if self.anchor is not None:
            check_opened(self.store, self.anchor)

    @property
    def releaser(self) -> str | None:
        """Who makes the releases; refuse another than the store knows."""
        return known_releaser(self.store, self._given)

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
        inspection.check_key(key)
        admitted: list[Entry | bytes] = []  # if a COMMIT is interrupted, there is a step, too

        def admission(transaction: Transaction, head: Row) -> Entry | bytes:
            admitted[:] = [admit(transaction, head, request, key, now(), self.releaser)]
            return admitted[0]

        try:
            with self.store.turn(key):
                step = self._write(admission)
                if not isinstance(step, Entry):
                    return step
                try:
                    output = make(step)
                except BaseException as error:
                    error.add_note(inspection.charged(step.row))
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
                error.add_note(inspection.standing(self.find, step, self.place))

    def _keep(self, step: Entry, output: bytes) -> None:
        """Store an output; if that fails it must not be returned."""
        try:
            if not isinstance(output, bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise InputError("the output is no bytes.", "bytes.", "return bytes.")
            self._write(lambda transaction, head: finish(transaction, head, step, output))
        except PrivoptError as error:
            if self.anchor is not None and self.find(step.row)[1] is not None:
                raise LedgerError(
                    f"row {step.row} was charged and the ledger keeps its output, but: {error.got}",
                    error.needed,
                    f"{error.remedy} Get the output, free: privopt ledger fetch --row {step.row}.",
                    step.row,
                ) from None
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
            lambda transaction, head: transaction.append(
                head.after("limit", limit=limit.limit, time=now())
            )
        )

    def set_quota(self, limit: Budget, *, releaser: str) -> None:
        """Set the most that one releaser may spend of the limit, on record.

        What it has spent counts already. From the first quota on, every charge must name a releaser
        that has one. Quotas may add up to more than the limit: the limit for everything decides.
        """
        if not isinstance(limit, Budget):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"quota is {limit!r:.40}.", "a Budget.", "Budget(epsilon, delta).")
        check_releaser(releaser)
        self._write(
            lambda transaction, head: transaction.append(
                head.after(
                    "quota", time=now(), **allotted(transaction, head, releaser, limit.limit)
                )
            )
        )

    def rehearse(self, request: Request, key: str | None = None) -> bool:
        """Whether a charge would be replayed, free; raises what `charge` would. Only reads."""
        inspection.check_key(key)
        with self.store.reading() as transaction:
            return isinstance(
                consider(transaction, chain.last(transaction), request, key, self.releaser), bytes
            )

    def redact(self, row: int) -> None:
        """Blank key, request and output of a charge, for good; the charge and the chain stay.

        The key still counts as used: it cannot be replayed, and is not charged anew.
        """
        self._write(lambda transaction, head: redact(transaction, head, row, now()))

    def anchor_at(self, place: str | os.PathLike[str]) -> Mark:
        """Begin an anchor for this ledger at a place, or bring the one there to the head.

        An anchor that is ahead of the ledger, or of another one, is refused and stays.
        """
        return begin(self.store, Anchor(place), only_new=False)

    def copy(self, to: str | os.PathLike[str], *, close: bool = False) -> Ledger:
        """Copy the ledger to another file or store, where none was begun; rows and head are kept.

        Parameters
        ----------
        to
            The path or the address.
        close
            Also close this ledger, on record: from then on only the copy can be charged. Without
            it, do not charge the copy as long as this ledger is charged: both would count alone.

        Returns
        -------
        Ledger
            The copy; without `close` to look at.
        """
        self.verify()
        target = open_store(to, read_only=False, timeout=self.store.timeout)
        copy(self.store, target, self.anchor, close=close)
        target.close()
        return Ledger(
            target.place,
            releaser=self._given if close else None,
            anchor=self.anchor.place if close and self.anchor is not None else None,
            read_only=not close,
            timeout=self.store.timeout,
        )

    def _write(self, work: Callable[[Transaction, Row], _T]) -> _T:
        """Do some work in a transaction, given the last row."""
        return written(self.store, self.anchor, work)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *ended: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        again = partial(
            Ledger,
            releaser=self._given,
            anchor=None if self.anchor is None else self.anchor.place,
            read_only=self.store.read_only,
            timeout=self.store.timeout,
        )
        return again, (self.place,)


def checked_ledger(ledger: object, key: str | None) -> Ledger | None:
    """The ledger, if it is one; None without one, and then without a key."""
    if ledger is None and key is not None:
        raise InputError(
            "a key was given without a ledger.",
            "a ledger, which remembers what was released under the key.",
            "pass ledger=privopt.Ledger(path, limit=privopt.Budget(epsilon)), or no key.",
        )
    if ledger is not None and not isinstance(ledger, Ledger):
        raise InputError(
            f"ledger is a {type(ledger).__name__}.",
            "a Ledger, or None.",
            "ledger=privopt.Ledger(path, limit=privopt.Budget(epsilon)).",
        )
    return ledger
