"""The schema of a job: every section and entry of the TOML file, and the flag that says the same.

    [privacy]                          --noise laplace --epsilon 1 --alpha 0.01
    noise = "laplace"
    epsilon = 1.0
    alpha = 0.01

This is the one place that lists them: the TOML reader, the flags of the command line and the
documentation are made from it. Nothing heavy is imported here, so that `--help` is quick.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["ALTERNATIVES", "APPLIES", "KEYS", "SECTIONS", "Key", "Kind", "key_of"]


class Kind(StrEnum):
    """What an entry holds; the value is what its flag is shown to take."""

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
    AMOUNT = "DECIMAL"
    """A number kept as it was written."""
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
    kind: Kind
    help: str
    flag: str | None = None
    choices: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """How messages call it."""
        return f"[{self.section}] {self.name}"


def _section(section: str, *keys: tuple[str, str | None, Kind, str, str]) -> tuple[Key, ...]:
    return tuple(
        Key(section, name, kind, text, flag, tuple(choices.split()))
        for name, flag, kind, text, choices in keys
    )


KEYS: tuple[Key, ...] = (
    *_section(
        "program",
        ("network", "network", Kind.TEXT, "PGLib network: its DC optimal power flow.", ""),
        ("case", "case", Kind.FILE, "MATPOWER case file (.m), whose loads are private.", ""),
        ("file", "program", Kind.FILE, "Program file (JSON), as PublicProgram.save writes.", ""),
        ("model", "model", Kind.TEXT, "Convention of the power flow.", "powermodels matpower"),
        ("private", "private", Kind.NAMES, "Which entries of d are private; all of them.", ""),
    ),
    *_section(
        "data",
        ("file", "data", Kind.FILE, "The private data d: CSV of name,value or JSON.", ""),
        ("values", None, Kind.VALUES, "The same in the job itself.", ""),
    ),
    *_section(
        "query",
        ("identity", "identity", Kind.NAMES, "Variables to release as they are.", ""),
        ("sum", "sum", Kind.GROUPS, "Sums to release, groups separated by ';'.", ""),
        ("linear", "linear", Kind.FILE, "CSV of S, a row for each released value S z.", ""),
        ("separate", "separate", Kind.YES, "Groups answer the noise of their own sum only.", ""),
    ),
    *_section(
        "privacy",
        ("noise", "noise", Kind.TEXT, "Noise.", "laplace gaussian truncated"),
        ("epsilon", "epsilon", Kind.NUMBER, "Privacy loss of one release.", ""),
        ("delta", "delta", Kind.NUMBER, "Delta of gaussian and truncated noise.", ""),
        ("alpha", "alpha", Kind.NUMBER, "Change of one private entry that is hidden.", ""),
        ("sensitivity", "sensitivity", Kind.NUMBER, "Of a plan, assumed: multiple of alpha.", ""),
        ("calibration", "calibration", Kind.TEXT, "Of gaussian noise.", "charge classical"),
    ),
    *_section(
        "feasibility",
        ("kind", "feasibility", Kind.TEXT, "How the limits are kept.",
         "analytic exact-box sampled-box joint scenario always"),
        ("eta", "eta", Kind.NUMBERS, "Chance that a limit fails: 0.05 for 95%.", ""),
        ("beta", "beta", Kind.NUMBER, "One minus the confidence of what was sampled.", ""),
        ("margin", "margin", Kind.TEXT, "Of analytic.", "exact unimodal"),
        ("scope", "scope", Kind.TEXT, "Of analytic: each limit, or all.", "row joint"),
        ("samples", "scenarios", Kind.WHOLE, "Of scenario: draws; the certified count.", ""),
        ("draws", "draws", Kind.WHOLE, "Of joint: draws of the calibration.", ""),
    ),
    *_section(
        "objective",
        ("kind", "objective", Kind.TEXT, "What a plan minimises.",
         "expected-cost cost-deviation solution-deviation"),
        ("phi", "phi", Kind.NUMBER, "Weight of the deviation, 0 to 1.", ""),
        ("published", "published", Kind.YES, "The deviation of z as the paper prints it.", ""),
    ),
    *_section(
        "repeat",
        ("mu", "mu", Kind.NUMBER, "Draw again until a test is passed: sets the tries.", ""),
        ("test", "test", Kind.TEXT, "Which test.", "public published"),
    ),
    *_section(
        "domain",
        ("lower", "lower", Kind.BOUNDS, "Least value of the private entries.", ""),
        ("upper", "upper", Kind.BOUNDS, "Largest value of the private entries.", ""),
        ("around", "around", Kind.NUMBER, "Or a share, 0.05 for 5% about a network's loads.", ""),
    ),
    *_section(
        "design",
        ("floor", "floor", Kind.NUMBER, "Least noise level s; 1 is the paper's.", ""),
        ("fidelity", "fidelity", Kind.NUMBER, "Weight of the distance from the true answer.", ""),
        ("within", "within", Kind.NUMBER, "Or the largest expected distance.", ""),
        ("balance", "balance", Kind.NAMES, "Entries of d that balance private ones.", ""),
        ("rank", "rank", Kind.WHOLE, "Shared directions of the gain, for large programs.", ""),
    ),
    *_section(
        "settings",
        ("tolerance", "tolerance", Kind.NUMBER, "Relative tolerance of the solver.", ""),
        ("time_limit", "time-limit", Kind.NUMBER, "Seconds for a solve or a design.", ""),
        ("threads", "threads", Kind.WHOLE, "Threads of the solver; 0 lets it choose.", ""),
        ("seed", "seed", Kind.WHOLE, "Of feasibility that samples; never of a release.", ""),
    ),
    *_section(
        "ledger",
        ("path", "ledger", Kind.OUTPUT, "Ledger that counts the release.", ""),
        ("limit", "limit", Kind.AMOUNT, "Epsilon that all releases may cost; for a new one.", ""),
        ("delta", "limit-delta", Kind.AMOUNT, "Delta that all releases may cost.", ""),
        ("dataset", "dataset", Kind.TEXT, "Name of the data in the ledger.", ""),
        ("key", "key", Kind.TEXT, "Name of the release: asked again, it is replayed free.", ""),
    ),
    *_section(
        "output",
        ("path", "out", Kind.OUTPUT, "File to write.", ""),
        ("policy", None, Kind.OUTPUT, "The same of design, before path.", ""),
        ("release", None, Kind.OUTPUT, "The same of release, before path.", ""),
        ("page", None, Kind.OUTPUT, "The same of frontier, before path.", ""),
    ),
)  # fmt: skip

SECTIONS: tuple[str, ...] = tuple(dict.fromkeys(key.section for key in KEYS))
_BY_NAME = {(key.section, key.name): key for key in KEYS}

# Of each group one may be given; a flag takes the place of the others in the file.
ALTERNATIVES: dict[str, tuple[tuple[str, ...], ...]] = {
    "program": (("network",), ("case",), ("file",)),
    "data": (("file",), ("values",)),
    "query": (("identity",), ("sum", "separate"), ("linear",)),
    "domain": (("lower", "upper"), ("around",)),
    "design": (("fidelity",), ("within",)),
}

# Which entry chooses the kind, what it is unless given, and the entries that each kind takes.
APPLIES: dict[str, tuple[str, str | None, dict[str, tuple[str, ...]]]] = {
    "privacy": (
        "noise",
        "laplace",
        {
            "laplace": ("epsilon", "alpha", "sensitivity"),
            "gaussian": ("epsilon", "delta", "alpha", "sensitivity", "calibration"),
            "truncated": ("epsilon", "delta", "alpha", "sensitivity"),
        },
    ),
    "feasibility": (
        "kind",
        None,
        {
            "analytic": ("eta", "margin", "scope"),
            "exact-box": ("eta",),
            "sampled-box": ("eta", "beta"),
            "joint": ("eta", "beta", "draws"),
            "scenario": ("eta", "beta", "samples"),
            "always": (),
        },
    ),
    "objective": (
        "kind",
        "expected-cost",
        {
            "expected-cost": (),
            "cost-deviation": ("phi",),
            "solution-deviation": ("phi", "published"),
        },
    ),
}


def key_of(section: str, name: str) -> Key | None:
    """The entry of that name; None if there is none."""
    return _BY_NAME.get((section, name))
