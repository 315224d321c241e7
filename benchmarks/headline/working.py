"""One mechanism on one instance: values of all draws, a time limit, and how it ended.

Nothing that a mechanism does stops the run: how it ended is a row, too.

| status | |
|---|---|
| done | every draw was looked at; some may have no decision (`without`) |
| infeasible | no plan |
| failed | the solver gave up |
| time limit | the draws until then count |
| refused | it makes no sense here: no such candidate |
| error | anything else: a bug |
"""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from types import FrameType

import numpy as np

from benchmarks.headline.journal import Row
from benchmarks.headline.mechanisms import Released, mechanism
from benchmarks.headline.subject import Subject
from privopt.arrays import Vector
from privopt.errors import InfeasibleError, InputError, NotImplementableError, SolverError
from privopt.solving.problem import Outcome
from privopt.solving.threads import one_thread

__all__ = ["done", "lasting"]


class _TimeLimitError(BaseException):
    """The time is up; not to be caught by what runs."""


def done(network: str, name: str, one: Subject) -> Row:
    """The row of a mechanism on an instance; `seconds` is what making its values took."""
    row: Row = {
        "network": network,
        "seed": one.seed,
        "mechanism": name,
        "conditions": asdict(one.conditions),
        "limit": one.seconds,
    }
    releases: list[Released] = []
    about: Row = {}
    started = time.perf_counter()
    with one_thread():
        row["status"], row["reason"] = _worked(name, one, releases, about)
    row["seconds"] = time.perf_counter() - started
    values = [value for value in releases if not isinstance(value, Outcome)]
    why = Counter(value.value for value in releases if isinstance(value, Outcome))
    row |= about | {
        "looked": len(releases),
        "without": sum(why.values()) / len(releases) if releases else 1.0,
        "reasons": dict(why),
        "released": one.S.shape[0],
    }
    with one_thread():
        row |= _judged(one, values)
    return row


def _worked(name: str, one: Subject, releases: list[Released], about: Row) -> tuple[str, str]:
    """Fill in the releases; how it ended, and why."""
    try:
        with lasting(one.seconds):
            made = mechanism(name)(one)
            about |= made.about
            releases.extend(made.releases)
    except _TimeLimitError:
        return "time limit", f"{one.seconds:g} seconds"
    except (InfeasibleError, NotImplementableError) as error:
        return "infeasible", error.got
    except InputError as error:
        return "refused", error.got
    except SolverError as error:
        private = "" if error.private is None else f" ({error.private.reveal()})"
        return ("time limit" if Outcome.TIME.value in private else "failed"), error.got + private
    except Exception as error:  # a run goes on
        return "error", f"{type(error).__name__}: {error}"
    return "done", ""


def _judged(one: Subject, values: list[Vector]) -> Row:
    """Loss, distance and spread; why there is none of them where the instance has no answer."""
    row: Row = {}
    try:
        row["spread"] = one.spread
        row |= one.judged(np.array(values)) | {"optimal": one.optimum.cost}
    except Exception as error:
        row["unjudged"] = f"{type(error).__name__}: {error}"
    return row


@contextmanager
def lasting(seconds: float) -> Generator[None]:
    """So long at the most, by the alarm of the system: a call into a solver is not cut short."""

    def over(_number: int, _frame: FrameType | None) -> None:
        raise _TimeLimitError

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
