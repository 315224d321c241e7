"""What is wrong, in the words of the screens: their fields, and no flag, call or section of a file.

    spoken(error)      what to do: each clause as a page says it
    on_screen(text)    a sentence of the library or the command line, with fields by their labels

What no screen can do is said with the place where it can be done.
"""

from __future__ import annotations

import re

from privopt.app.options import schema
from privopt.errors import Action, Clause, PrivoptError

__all__ = ["PERCENT", "empty", "label", "on_screen", "spoken"]

PERCENT = ("eta", "around")  # entries that are shares, and shown in percent
_LABELS = {
    "network": "Network", "case": "Case file", "program": "Program file", "unit": "Unit",
    "alpha": "Hidden change α", "around": "Width", "lower": "Least", "upper": "Largest",
    "owners": "Labels", "change": "What one owner may change", "identity": "Published",
    "sum": "Published", "linear": "Published", "mechanism": "Mechanism", "epsilon": "Privacy ε",
    "eta": "Limits may break η", "fidelity": "Weight", "within": "Expected distance at most",
    "noise": "Noise", "delta": "Chance δ of a larger loss",
    "feasibility": "How the limits are kept", "seed": "Seed of the simulation",
    "measure": "What to measure", "data": "Data file", "ledger": "Ledger", "limit": "Limit",
    "key": "Key", "out": "Folder for what is released",
}  # fmt: skip
# How a clause is said; None: no page can do it, and another clause remains.
_SAID: dict[Action, str | None] = {
    Action.EXPLAIN: None,
    Action.DIAGNOSE: None,
    Action.REVEAL: None,
    Action.HELP: "see privopt.{} in the reference.",
    Action.SET_LIMIT: "change the limit on record with the command `privopt ledger limit`{}",
    Action.SET_QUOTA: "change the quota on record with the command `privopt ledger quota`{}",
    Action.MAKE_LEDGER: "name a new place and a limit on the screen Ledger{}",
    Action.TAKE: "set {}",
}
_TOLD = "copy the job as a file, and run: privopt release job.toml --reveal, which {}"
_ENTRY = re.compile(r"\[(?P<section>[a-z]+)\](?: of the job)? (?:has no )?(?P<name>[a-z_]+)\b")
_EMPTY = re.compile(r"\[(?P<section>[a-z]+)\](?: of [\w. ]+)? has no (?P<name>[a-z_]+)\.")
_FLAG = re.compile(r"--(?P<flag>[a-z][a-z-]*)\b")
_PHRASES = (
    (re.compile(r"add \w+ = \.\.\. or --(?P<flag>[a-z-]+)\."), "fill {} in."),
    (re.compile(r"a new one is made with --limit 1\.0, or: privopt ledger create .*$"),
     "a new one is made once “Limit” is filled in."),
    (re.compile(r" \(or --[a-z-]+\)"), ""),
    (re.compile(r"\bfallback=(?= |$)"), "fallback in the job file"),
    (re.compile(r"relax Settings\(time_limit=\)"), "allow more time, with time_limit in the job "
     "file"),
    (re.compile(r"^List the names with: privopt networks$"), "choose one of the list."),
    (re.compile(r"^the private entries are those of program\.private, in their order\.$"),
     "give one for all, or one for each, in the order of the table on the screen Model."),
    (re.compile(r"^compare with decision\.distance of a decision without it\.$"),
     "take the distance that the screen Design shows as a beginning."),
    (re.compile(r"^use unit='(\w+)'\.$"), r"use \1."),
    (re.compile(r'^add for example kind = "exact-box"\.$'), "choose one under More choices."),
)  # fmt: skip


def label(flag: str) -> str:
    """What the field of a flag is called on its screen."""
    return _LABELS.get(flag, flag.replace("-", " "))


def empty(flag: str) -> str:
    """That a field must be filled in, and is not."""
    return f"{_quoted(flag)} is empty."


def spoken(error: PrivoptError) -> str:
    """What to do about an error, as a page says it."""
    said = [on_screen(one) if isinstance(one, str) else _clause(one) for one in error.remedies]
    kept = [one for one in said if one]
    if not kept:  # what is left is for the curator, and no page tells it
        kept = [_TOLD.format(one.rest) for one in error.remedies if isinstance(one, Clause)][:1]
    text = "; ".join(kept)
    return text if text.endswith((".", "?", "!")) else f"{text}."


def on_screen(text: str) -> str:
    """A sentence with the fields of the screens in place of flags and entries."""
    text = _EMPTY.sub(lambda found: empty(_flag(found)), text)
    for phrase, instead in _PHRASES:
        found = phrase.search(text)
        if found is not None and "{}" in instead:
            text = phrase.sub(instead.format(_quoted(found["flag"])), text)
        elif found is not None:
            text = phrase.sub(instead, text)
    text = _ENTRY.sub(lambda found: _quoted(_flag(found)), text)
    return _FLAG.sub(lambda found: _quoted(found["flag"]) if found["flag"] in _LABELS
                     else found[0], text)  # fmt: skip


def _quoted(flag: str) -> str:
    return f"“{label(flag)}”"


def _flag(found: re.Match[str]) -> str:
    """The flag of an entry of a section; the entry itself where it has none."""
    name, section = found["name"], found["section"]
    return next(
        (key.flag for key in schema() if (key.section, key.name) == (section, name) and key.flag),
        name,
    )


def _clause(clause: Clause) -> str:
    template = _SAID[clause.action]
    if template is None:
        return ""
    values = " or ".join(f"{_quoted(name)} to {_amount(name, one)}" for name, one in clause.values)
    return template.format(values + clause.rest)


def _amount(name: str, value: float) -> str:
    return f"{100 * value:g} %" if name in PERCENT else f"{value:g}"
