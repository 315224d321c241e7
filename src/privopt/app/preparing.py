"""A release, prepared: all that can fail is done before anything is charged.

    ready = prepare(job)                  solves or decides
    ready.request                         what would be charged, for a rehearsal
    release = ready.draw(ledger)          charges, draws the noise, stores

What calls it decides where the release is written, and makes that place sure before it draws. What
is said of clamping depends on d: it is for the curator, and only where the curator asks.

Of a job that measures and decides, the measurement is handed on to be kept as soon as there is one,
and the decision then: whoever is stopped between them goes on from the measurement, free.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Generic, TypeAlias, TypeVar

from privopt.app.job import Job
from privopt.app.making import instrument_of, solved
from privopt.app.measuring import decided, tried
from privopt.app.receipt import looked_at
from privopt.claims.guarantee import Guarantee
from privopt.claims.units import UnitLabels
from privopt.claims.worth import Worth
from privopt.errors import InputError, PrivoptError
from privopt.files import FULL, reserved
from privopt.kernel import wire
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.kernel.release import Release
from privopt.ledger import Ledger
from privopt.ledger.request import Request
from privopt.ledger.stores.registry import exists, file_of
from privopt.mechanisms.look import DataLook, look
from privopt.mechanisms.measured.decision import Decision
from privopt.mechanisms.plan import Plan
from privopt.show.worth import worth_warnings

__all__ = [
    "Keep", "Prepared", "Status", "charged_ledger", "prepare", "prepare_measurement", "released",
    "telling",
]  # fmt: skip

Made = TypeVar("Made", Release, Measurement)

Status: TypeAlias = Callable[[str], AbstractContextManager[object]]
"""Shows what is being done while it is."""
Keep: TypeAlias = Callable[[Measurement | Decision], None]
"""Takes what a release rests on, as soon as it is there."""

_NUMBER = 240  # bytes of a value in a file, with what is said of its worth
_REST = 16_384  # of a release, besides values, names and claims
_TIMES = 4  # what a ledger takes for a release: its row, the charge, and the same in its journal


@dataclass(frozen=True, repr=False)
class Prepared(Generic[Made]):
    """A release, or a measurement, that waits for its charge.

    Attributes
    ----------
    look
        The curator's look at the data: what is clamped, what seems wrong. Private. None of a plan,
        which takes the data as they are.
    subject
        Digest of what the look depends on besides the data: entries, domain, neighbours, unit. None
        where nothing is clamped.
    poor
        What is worth knowing before it is paid for: values that tell little or nothing.
    room
        Bytes that the release takes at most, as a file.
    rooms
        The same of what it rests on: its "measurement" and its "decision".
    worth
        What the values tell, as far as that is known in advance.
    units
        What alpha and the values are counted in, if the program has a unit.
    """

    request: Request
    draw: Callable[[Ledger | None], Made]
    look: Callable[[], DataLook] | None
    poor: tuple[str, ...]
    room: int
    rooms: Mapping[str, int] = field(default_factory=dict[str, int])
    worth: Worth | None = None
    subject: str | None = None
    units: UnitLabels | None = None

    @property
    def clamps(self) -> bool:
        """Whether anything can be clamped: a plan takes the data as they are."""
        return self.look is not None


def prepare(
    job: Job,
    *,
    plan: bool = False,
    status: Status = nullcontext,
    keep: Keep = lambda _: None,
) -> Prepared[Release]:
    """A plan, or a measurement to decide from, with its data, ready to be released."""
    if job.made_by(plan=plan) == "measured":
        return _prepare_decision(job, status, keep)
    with status("solving"):
        made = solved(job)
    return Prepared(
        made.request,
        lambda ledger: made.release(ledger=ledger, key=job.key),
        None,
        poor=(),
        room=_room(made.query.names(made.program), made.guarantee),
        units=_units(made),
    )


def prepare_measurement(job: Job, status: Status = nullcontext) -> Prepared[Measurement]:
    """What a job measures, with its data, ready to be measured.

    Where the job says what will be decided from it, a decision is tried, and what it would tell is
    known. That there is none is a warning: other decisions may be made from the measurement.
    """
    instrument = _instrument(job, status)
    ready = _measuring(job, instrument)
    if job.query is None or job.feasibility is None:
        return ready
    try:
        with status("deciding at the middle of the domain"):
            trial = tried(job, instrument)
    except PrivoptError as error:
        none = f"No decision of this job would follow from it, tried at the middle: {error.got}"
        return replace(ready, poor=(none,))
    return replace(ready, poor=worth_warnings(trial.worth), worth=trial.worth, units=trial.units)


def _instrument(job: Job, status: Status) -> Instrument:
    with status("choosing what to measure" if job.measure == "choose" else "calibrating"):
        return instrument_of(job)


def _measuring(job: Job, instrument: Instrument) -> Prepared[Measurement]:
    """A measurement that waits for its charge."""
    kernel = instrument.kernel
    read = job.read(kernel.data_names)
    size = len(wire.text(instrument, indent=2))
    return Prepared(
        kernel.request(),
        lambda ledger: instrument.measure(read.d, ledger=ledger, key=_key(job, instrument)),
        lambda: look(instrument, read.d, read.rows),
        subject=looked_at(instrument, job),
        poor=(),
        room=_room(kernel.names, kernel.guarantee) + size,
        units=kernel.units,
    )


def _prepare_decision(job: Job, status: Status, keep: Keep) -> Prepared[Release]:
    """A measurement and the decision that follows, tried at the middle of the domain."""
    instrument = _instrument(job, status)
    with status("deciding at the middle of the domain"):
        trial = tried(job, instrument)
    ready = _measuring(job, instrument)

    def draw(ledger: Ledger | None) -> Release:
        measured = ready.draw(ledger)
        keep(measured)
        try:
            with status("deciding"):
                decision = decided(job, [measured])
        except PrivoptError as error:
            error.got = f"{error.got} {_after(measured)}"
            raise
        keep(decision)
        replayed = measured.release is not None and measured.release.replayed
        return replace(decision.release(), replayed=replayed)

    names, guarantee = trial.names, trial.guarantee
    return Prepared(
        ready.request,
        draw,
        ready.look,
        subject=ready.subject,
        poor=worth_warnings(trial.worth),
        room=max(_room(names, guarantee), _room(instrument.names, instrument.kernel.guarantee)),
        rooms={"measurement": ready.room, "decision": 2 * len(wire.text(trial, indent=2)) + _REST},
        worth=trial.worth,
        units=trial.units,
    )


def _units(plan: Plan) -> UnitLabels | None:
    """What the values of a plan are counted in."""
    units = plan.program.units
    return None if units is None else units.of_rows(plan.query.matrix(plan.program))


def _key(job: Job, instrument: Instrument) -> str | None:
    """The key of the measurement; what measures nothing is not charged, and has none."""
    return None if instrument.calibration is None else job.key


def _after(measured: Measurement) -> str:
    """What is left of a measurement from which nothing was decided."""
    if measured.release is None:
        return "Nothing was measured or charged."
    if measured.ledger is None:
        return "The measurement was made, and counted by no ledger."
    row = f"row {measured.ledger.row} of the ledger"
    if measured.release.replayed:
        return f"Nothing was charged: the measurement is that of {row}."
    return f"The measurement was charged ({row}); decisions from it cost nothing more."


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
