"""The schema of a job: every section and entry of the TOML file, and the flag that says the same.

    [privacy]                          --noise laplace --epsilon 1 --alpha 0.01
    noise = "laplace"
    epsilon = 1.0
    alpha = 0.01

Entries that are fields of the library's dataclasses follow from these (`options`); the others are
listed here. The TOML reader, the flags of the command line and the documentation are made from
both. Nothing heavy is imported here, so that `--help` is quick: `KEYS` takes the former from their
copy.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

__all__ = [
    "ALTERNATIVES", "COPY", "KEYS", "MEASURES", "OWNERS", "SECTIONS", "Form", "Key", "assembled",
    "to_text",
]  # fmt: skip

OWNERS = ("bus",)
MEASURES = ("total", "each", "choose", "nothing")


class Form(StrEnum):
    """What an entry holds; `cli/usage.py` says what its flag is shown to take."""

    TEXT = "NAME"
    NUMBER = "NUMBER"
    NUMBERS = "NUMBER,..."
    """A number, or a list of them."""
    WHOLE = "COUNT"
    YES = ""
    FILE = "FILE"
    OUTPUT = "PATH"
    """A file that may be written; a job file names none outside of its folder."""
    NAMES = "NAME,..."
    """Names or positions."""
    GROUPS = "NAME,..;.."
    """Lists of names, or a table of them."""
    BOUNDS = "NUMBER|FILE"
    """A number, a list, a table by name, or a file of either."""
    SUMS = "total|each|.."
    """One of `MEASURES`, lists of names or a table of them, or a file that ends so."""
    LABELS = "LABEL,...|FILE"
    """A label for each private entry: a list, a table by name, or a file of either; or `OWNERS`."""
    AMOUNT = "DECIMAL"
    """A number kept as it was written."""
    COLUMNS = "ROLE=NAME,..."
    """Names of columns by role."""
    VALUES = "VALUES"
    """Private numbers: a list, or a table by name. Never a flag, never in a message."""


@dataclass(frozen=True, repr=False)
class Key:
    """One entry: where it stands, what it holds, and its flag.

    Attributes
    ----------
    flag
        The flag's name without dashes; None: the file only.
    choices
        The words it can be, if it is one of a few.
    """

    section: str
    name: str
    kind: Form
    help: str
    flag: str | None = None
    choices: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """How messages call it."""
        return f"[{self.section}] {self.name}"


def _section(section: str, *keys: tuple[str, str | None, Form, str, str]) -> tuple[Key, ...]:
    return tuple(
        Key(section, name, kind, text, flag, tuple(choices.split()))
        for name, flag, kind, text, choices in keys
    )


_CONVENTIONS = "powermodels matpower lindistflow socp"

_OWN: tuple[Key, ...] = (
    *_section(
        "program",
        ("network", "network", Form.TEXT, "PGLib or MATPOWER network: its power flow.", ""),
        ("case", "case", Form.FILE, "MATPOWER case file (.m), whose loads are private.", ""),
        ("file", "program", Form.FILE, "Program file (JSON), as PublicProgram.save writes.", ""),
        ("model", "model", Form.TEXT, "Convention of the power flow.", _CONVENTIONS),
        ("private", "private", Form.NAMES, "Which entries of d are private; all of them.", ""),
        ("unit", "unit", Form.TEXT, "Of d and of what is released: MW, kW, ...; per unit.", ""),
    ),
    *_section(
        "data",
        ("file", "data", Form.FILE, "The private data d: CSV, Parquet or JSON.", ""),
        ("values", None, Form.VALUES, "The same in the job itself.", ""),
        ("columns", "columns", Form.COLUMNS, "Which is bus, value, customer, time.", ""),
        ("decimal", "decimal", Form.TEXT, "How decimals are written, if it is not clear.", ". ,"),
        ("missing", "missing", Form.TEXT, "Entries without a row.", "refuse zero"),
        ("sites", "sites", Form.TEXT, "Whether who is where may be told.", "private public"),
        ("bounded", "bounded", Form.YES, "Cut what a customer adds to an entry to 0..alpha.", ""),
    ),
    *_section(
        "query",
        ("identity", "identity", Form.NAMES, "Variables to release as they are.", ""),
        ("sum", "sum", Form.GROUPS, "Sums to release, groups separated by ';'.", ""),
        ("linear", "linear", Form.FILE, "CSV of S, a row for each released value S z.", ""),
        ("separate", "separate", Form.YES, "Groups answer the noise of their own sum only.", ""),
    ),
    *_section(
        "domain",
        ("lower", "lower", Form.BOUNDS, "Least value of the private entries.", ""),
        ("upper", "upper", Form.BOUNDS, "Largest value of the private entries.", ""),
        ("around", "around", Form.NUMBER, "Or a share, 0.05 for 5% about a network's loads.", ""),
    ),
    *_section(
        "design",
        ("mechanism", "mechanism", Form.TEXT, "What makes a release.", "measured plan"),
        ("measure", "measure", Form.SUMS, "Sums of d to measure: groups, or a file of them.", ""),
        ("fallback", "fallback", Form.BOUNDS, "Values to release where there is no decision.", ""),
        ("fidelity", "fidelity", Form.NUMBER, "Weight of the distance from the true answer.", ""),
        ("within", "within", Form.NUMBER, "Or the largest expected distance.", ""),
        ("balance", "balance", Form.NAMES, "Entries of d that balance private ones.", ""),
    ),
    *_section(
        "settings",
        ("seed", "seed", Form.WHOLE, "Of feasibility that samples; never of a release.", ""),
    ),
    *_section(
        "ledger",
        ("path", "ledger", Form.OUTPUT, "Ledger that counts the release.", ""),
        ("limit", "limit", Form.AMOUNT, "Epsilon that all releases may cost; for a new one.", ""),
        ("delta", "limit-delta", Form.AMOUNT, "Delta that all releases may cost.", ""),
        ("dataset", "dataset", Form.TEXT, "Name of the data in the ledger.", ""),
        ("key", "key", Form.TEXT, "Name of the release: asked again, it is replayed free.", ""),
        ("releaser", "releaser", Form.TEXT, "Who releases: counted against its quota.", ""),
        ("anchor", "anchor", Form.OUTPUT, "Where the ledger's head is kept, or ROW:DIGEST.", ""),
    ),
    *_section(
        "output",
        ("path", "out", Form.OUTPUT, "File to write.", ""),
        ("release", None, Form.OUTPUT, "The same of release, before path.", ""),
        ("measurement", None, Form.OUTPUT, "The same of measure, before path.", ""),
        ("decision", None, Form.OUTPUT, "The same of decide, before path.", ""),
        ("page", None, Form.OUTPUT, "The same of frontier, before path.", ""),
        ("instrument", None, Form.OUTPUT, "What was chosen to measure, to be taken again.", ""),
    ),
)  # fmt: skip

SECTIONS = (
    "program", "data", "query", "privacy", "feasibility", "objective", "repeat", "domain", "design",
    "settings", "ledger", "output",
)  # fmt: skip

# Of each group one may be given; a flag takes the place of the others in the file.
ALTERNATIVES: dict[str, tuple[tuple[str, ...], ...]] = {
    "program": (("network",), ("case",), ("file",)),
    "data": (("file",), ("values",)),
    "query": (("identity",), ("sum", "separate"), ("linear",)),
    "domain": (("lower", "upper"), ("around",)),
    "design": (("fidelity",), ("within",)),
}


def assembled(options: Iterable[Key]) -> tuple[Key, ...]:
    """All entries in their order; within a section those that follow from the library first."""
    return tuple(sorted((*options, *_OWN), key=lambda key: SECTIONS.index(key.section)))


COPY = Path(__file__).with_name("options.json")


def to_text(options: Iterable[Key]) -> str:
    """Entries as JSON, one a line."""
    lines = (json.dumps(dataclasses.asdict(key)) for key in options)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _copied() -> Iterator[Key]:
    for data in json.loads(COPY.read_text(encoding="utf-8")):
        yield Key(**data | {"kind": Form(data["kind"]), "choices": tuple(data["choices"])})


KEYS: tuple[Key, ...] = assembled(_copied())
