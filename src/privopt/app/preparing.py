"""A release, prepared: all that can fail is done before anything is charged.

    ready = prepare(job, policy)          solves or designs where no saved policy is given
    ready.request                         what would be charged, for a rehearsal
    release = ready.draw(ledger)          charges, draws the noise, stores

What calls it decides where the release is written, and makes that place sure before it draws. What
is said of clamping depends on d: it is for the curator, and only where the curator asks.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from privopt.app.job import Job, designed, solved
from privopt.arrays import Vector
from privopt.claims.guarantee import Guarantee
from privopt.errors import InputError
from privopt.files import FULL, reserved
from privopt.foreign import some
from privopt.kernel.release import Release
from privopt.ledger import Ledger
from privopt.ledger.request import Request
from privopt.ledger.stores.registry import exists, file_of
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.policy import Policy
from privopt.mechanisms.policy_view import warnings_of
from privopt.mechanisms.worth import Worth

__all__ = [
    "ROUNDING", "Prepared", "Status", "charged_ledger", "chosen", "clamping", "prepare", "released",
    "telling",
]  # fmt: skip

Status: TypeAlias = Callable[[str], AbstractContextManager[object]]
"""Shows what is being done while it is."""

ROUNDING = 1e-6  # of alpha: the ends of a domain lie on a grid finer than that
_NUMBER = 80  # bytes of a value and its error in a file, and their share of what stands around
_REST = 16_384  # of a release, besides values, names and claims
_TIMES = 4  # what a ledger takes for a release: its row, the charge, and the same in its journal


@dataclass(frozen=True, repr=False)
class Prepared:
    """A release that waits for its charge.

    Attributes
    ----------
    look
        Tells the curator what is clamped. Private.
    clamps
        Whether anything can be: a plan takes the data as they are.
    poor
        What is worth knowing of a policy before it is paid for: values that tell little or nothing.
    worth
        What a policy's values tell; None of a plan, which has no domain to say it for.
    room
        Bytes that the release takes at most, as a file.
    """

    request: Request
    draw: Callable[[Ledger | None], Release]
    look: Callable[[], str]
    clamps: bool
    poor: tuple[str, ...]
    room: int
    worth: Worth | None = None


def chosen(job: Job, saved: Policy | None, *, plan: bool, status: Status) -> Plan | Policy:
    """What a job is about: a saved policy, the one that it designs, or a plan (private)."""
    if saved is not None:
        return saved
    if job.domain is not None and not plan:
        with status("designing"):
            return designed(job)
    with status("solving"):
        return solved(job)


def prepare(
    job: Job, saved: Policy | None = None, *, plan: bool = False, status: Status = nullcontext
) -> Prepared:
    """A plan or a policy with its data, ready to be released."""
    made = chosen(job, saved, plan=plan, status=status)
    if isinstance(made, Plan):
        return Prepared(
            made.request,
            lambda ledger: made.release(ledger=ledger, key=job.key),
            lambda: "A plan takes the data as they are: nothing is clamped.",
            clamps=False,
            poor=(),
            room=_room(made.query.names(made.program), made.guarantee),
        )
    d = job.d(made.program.data_names)
    return Prepared(
        made.request,
        lambda ledger: made.release(d, ledger=ledger, key=job.key),
        lambda: clamping(made, d),
        clamps=True,
        poor=tuple(warnings_of(made)),
        room=_room(made.names, made.guarantee),
        worth=made.worth,
    )


def clamping(policy: Policy, d: Vector) -> str:
    """How many entries are clamped, and which, in words. Private."""
    lower, upper = policy.domain
    private = d[policy.program.private]
    beyond = np.maximum(lower - private, private - upper)
    names = list(policy.program.private_names)
    outside = [
        names[k] for k in np.flatnonzero(beyond > ROUNDING * policy.privacy.neighbours.grain)
    ]
    if not outside:
        return f"No private entry of {len(names)} lies outside of the domain."
    return (
        f"{len(outside)} of {len(names)} private entries lie outside of the domain and are clamped "
        f"to it: {some(outside, 10)}"
    )


def released(job: Job) -> bool:
    """Whether the job's key was released before: then its file may be asked for again."""
    there = job.key is not None and job.ledger is not None and exists(job.ledger)
    ledger = job.open_ledger() if there else None  # it is not made for this
    return ledger is not None and job.key is not None and ledger.released(job.key)


def charged_ledger(job: Job, room: int) -> Ledger | None:
    """The ledger to charge, if the job has one and its disk can keep the release.

    It is made only now: what failed before leaves none behind.
    """
    file = None if job.ledger is None else file_of(job.ledger)
    if file is None:
        return job.open_ledger()
    try:
        with reserved(file.absolute().with_name(f".privopt-{os.getpid()}")) as place:
            place.make_room(_TIMES * room)
    except OSError as error:
        if error.errno in FULL:  # of anything else the ledger itself tells
            raise InputError(
                f"the disk of {job.ledger} is full ({error.strerror}). Nothing was charged.",
                "room for the charge and for the release, which the ledger keeps.",
                "make room, and release again.",
            ) from None
    return job.open_ledger()


@contextmanager
def telling() -> Generator[list[Ledger | None]]:
    """Add to a Ctrl-C, wherever it strikes, which row was charged and how to get its release.

    The ledger is put into the list when it is opened.
    """
    opened: list[Ledger | None] = []
    try:
        yield opened
    except KeyboardInterrupt as stop:
        for ledger in opened:
            if ledger is not None:
                ledger.tell(stop)
        raise


def _room(names: Sequence[str], guarantee: Guarantee) -> int:
    """Bytes that a release takes at most, before it is made."""
    text = len(json.dumps([list(names), guarantee.to_dict()], indent=2))
    return 2 * text + _NUMBER * len(names) + _REST
