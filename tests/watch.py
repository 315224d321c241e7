"""A watch over everything that comes out: does a private value, in whatever form, come with it?

`Watch` keeps what is shown (repr, str, format, HTML, pretty print, inside containers), raised
(texts, args, notes, attributes, the whole chain, pickled), logged and warned of, written to any
file, and printed at the level of file descriptors. `leaks()` looks in all of it for the secrets: as
numbers, written with five digits or more in any notation or as percent; as hex and raw bytes; as
words.
"""

from __future__ import annotations

import io
import logging
import math
import pickle
import pprint
import re
import struct
import tempfile
import traceback
import warnings
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privopt as po

# How a solver ended, in the words of Clarabel, HiGHS and ours.
STATUS = (
    "AlmostSolved", "PrimalInfeasible", "DualInfeasible", "MaxIterations", "MaxTime",
    "NumericalError", "InsufficientProgress", "kOptimal", "kTimeLimit", "kIterationLimit",
    "Time limit reached", "Iteration limit reached", "Infeasible or unbounded", "iteration",
    "stalled", "time limit was reached", "a certificate shows", "Clarabel", "HiGHS",
)  # fmt: skip

_DIGITS = 5
_NUMBER = re.compile(r"(?<![\w.])[-+]?(\d+\.?\d*|\.\d+)(?:[eE]([-+]?\d+))?(?![\w]|\.\d)")


class Watch:
    """Everything that came out, by where it came out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out: list[tuple[str, str | bytes]] = []
        self.numbers: list[float] = []
        self.words: list[str] = list(STATUS)
        self.released: list[float] = []

    def secret(self, *values: Any) -> None:
        """Numbers that must not come out. Those of few digits could be anyone's: left out."""
        for value in values:
            for number in np.asarray(value, dtype=float).ravel():
                if math.isfinite(number) and abs(number - float(f"{number:.3g}")) > 1e-4 * abs(
                    number
                ):
                    self.numbers.append(float(number))

    def public(self, release: po.Release) -> None:
        """A release: its values may come out, and it is looked at in every form."""
        self.released += [float(value) for value in release.values]
        self.see(release)
        self.out += [
            ("summary", release.summary()),
            ("JSON", repr(release.to_dict())),
            ("frame", repr(release.to_pandas())),
            ("pickle", pickle.dumps(release)),
        ]
        release.save(self.folder / "release.json")
        self.see(po.Release.load(self.folder / "release.json"))

    def see(self, *things: Any) -> None:
        """Look at things as a prompt, a notebook, a debugger or a container would show them."""
        for thing in things:
            name = type(thing).__name__
            shown = [repr(thing), str(thing), f"{thing}", pprint.pformat(thing), repr({1: [thing]})]
            shown += [str(show()) for show in _pages(thing)]
            self.out += [(f"repr of {name}", text) for text in shown]

    def fails(self, act: Callable[[], Any], kind: type[Exception] = po.errors.PrivoptError) -> Any:
        """Look at the exception of something that must fail."""
        with pytest.raises(kind) as caught:
            act()
        self.raised(caught.value)
        return caught.value

    def raised(self, error: BaseException) -> None:
        """Look at an exception and at whatever hangs on it, printed or not."""
        self.out.append(("traceback", "".join(traceback.format_exception(error))))
        chain: list[BaseException | None] = [error]
        for one in chain:
            if one is None:
                continue
            shown = [str(one), repr(one), repr(one.args), repr(getattr(one, "__notes__", []))]
            shown += [repr(vars(one)), repr([str(value) for value in vars(one).values()])]
            self.out += [(f"error {type(one).__name__}", text) for text in shown]
            chain += [other for other in (one.__context__, one.__cause__) if other not in chain]
        self.out.append(("pickled error", pickle.dumps(error)))

    @contextmanager
    def listening(
        self, patch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> Generator[None]:
        """Keep logs, warnings, what is printed, and every file that is written."""
        home = self.folder / "home"
        home.mkdir()
        patch.chdir(home)
        patch.setenv("TMPDIR", str(self.folder))
        patch.setattr(tempfile, "tempdir", None)
        root, log = logging.getLogger(), io.StringIO()
        handler, level = logging.StreamHandler(log), root.level
        root.addHandler(handler)
        root.setLevel(logging.DEBUG)
        capfd.readouterr()
        try:
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                yield
        finally:
            root.removeHandler(handler)
            root.setLevel(level)
        self.out.append(("log", log.getvalue()))
        self.out += [("warning", f"{one.message} {one.line}") for one in warned]
        printed = capfd.readouterr()
        self.out += [("stdout", printed.out), ("stderr", printed.err)]
        for path in self.folder.rglob("*"):
            self.out.append(("file name", path.name))
            if path.is_file():
                self.out.append((f"file {path.name}", path.read_bytes()))

    def leaks(self) -> list[str]:
        """What came out that must not: where, and what."""
        found: list[str] = []
        for where, content in self.out:
            text = content.decode("latin-1") if isinstance(content, bytes) else content
            raw = content if isinstance(content, bytes) else content.encode()
            tokens = list(_numbers(text))
            free = [t for t in tokens if not any(_same(*t, value) for value in self.released)]
            for number in self.numbers:
                if any(_same(*t, scale * number) for t in free for scale in (1.0, 100.0)):
                    found.append(f"{where}: {number!r} as a number")
                if number not in self.released and any(form in raw for form in _bytes(number)):
                    found.append(f"{where}: {number!r} as hex or bytes")
            found += [f"{where}: {word!r}" for word in self.words if word in text]
        return found


def _pages(thing: Any) -> Iterable[Callable[[], Any]]:
    names = ("_repr_html_", "_repr_mimebundle_", "_repr_pretty_", "_repr_latex_", "_repr_json_")
    for name in names:
        show = getattr(thing, name, None)
        if callable(show):
            yield show


def _numbers(text: str) -> Iterable[tuple[float, float]]:
    """Each number of enough digits, and half a unit of its last digit."""
    for found in _NUMBER.finditer(text):
        digits, exponent = found[1], int(found[2] or 0)
        if abs(exponent) < 300 and len(digits.replace(".", "").lstrip("0")) >= _DIGITS:
            places = len(digits.partition(".")[2])
            yield float(digits) * 10.0**exponent, 0.5 * 10.0 ** (exponent - places)


def _same(token: float, half: float, number: float) -> bool:
    """Whether a number as written is a rounding (or a cut) of another."""
    return abs(token - abs(number)) <= 2 * half + 1e-12 * abs(number)


def _bytes(number: float) -> Iterable[bytes]:
    little, big = struct.pack("<d", number), struct.pack(">d", number)
    yield from (little, big, little.hex().encode(), big.hex().encode(), number.hex().encode())
