"""The form of the workbench: a job's public flags as texts, and what is wrong with them.

    form -> tree (`app.tree.from_flags`) -> job (`app.job.job_of`)

A form holds no section that leads to private data, a ledger or a file to be written: these are the
curator's. A problem names the field that it is about.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from privopt.app.job import Job, job_of
from privopt.app.options import CHOICES, schema
from privopt.app.schema import Key
from privopt.app.source import Source
from privopt.app.sums import sums_of
from privopt.app.tree import Tree, from_flags, inputs_of, merged
from privopt.app.values import of_text
from privopt.errors import PrivoptError
from privopt.web.problems import Problem, ProblemError
from privopt.web.typed import about

__all__ = ["SECTIONS", "Filled", "check_fields", "digest_of", "filled", "public_keys", "state_of"]

SECTIONS = (
    "program", "query", "privacy", "feasibility", "objective", "repeat", "domain", "design",
    "settings",
)  # fmt: skip
_LONGEST = 100_000  # characters of an entry
_FIRST = {
    "program": "network", "query": "identity", "privacy": "epsilon", "feasibility": "feasibility",
    "objective": "objective", "repeat": "mu", "domain": "around", "design": "mechanism",
    "settings": "seed",
}  # fmt: skip


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Filled:
    """A form that was read.

    Attributes
    ----------
    tree
        Its entries, those that could be read.
    source, job
        Its program, if it has a sound one, and its job, if there are no problems.
    parts
        By section, jobs of the program and that section alone: what can be shown of a form in which
        something else is wrong.
    """

    tree: Tree
    source: Source | None
    job: Job | None
    problems: tuple[Problem, ...]
    parts: dict[str, Job]


def public_keys() -> dict[str, Key]:
    """The entries that a form may hold, by flag."""
    return {key.flag: key for key in schema() if key.flag and key.section in SECTIONS}


def check_fields(form: Mapping[str, Any]) -> dict[str, str]:
    """The form with texts that are not empty; what is no field of a form is refused."""
    known = public_keys()
    for name, text in form.items():
        if name not in known:
            raise ProblemError(
                400,
                Problem(
                    f"the form has {name!r:.60}.",
                    "the flags of a job that are public: no data, ledger or output.",
                    "leave it out; data and ledger are named on the screen Release.",
                    name[:60],
                ),
            )
        if not isinstance(text, str) or len(text) > _LONGEST:
            raise ProblemError(400, Problem(f"{name} is no text, or too long.", "a text.",
                                            "correct it.", name))  # fmt: skip
    return {name: text for name, text in form.items() if text.strip()}


def filled(form: Mapping[str, str], source_of: Callable[[dict[str, Any]], Source]) -> Filled:
    """Read a form; `source_of` finds the program of its section, perhaps as kept from before."""
    problems: list[Problem] = []
    sound: dict[str, str] = {}
    unread = set[str]()  # sections with an entry that could not be read
    for flag, key in public_keys().items():
        if flag in form:
            try:
                of_text(key, form[flag])
                sound[flag] = form[flag]
            except PrivoptError as error:
                problems.append(Problem.of(error, flag))
                unread.add(key.section)
    tree: Tree = {}
    for section in SECTIONS:
        own = {flag: text for flag, text in sound.items() if public_keys()[flag].section == section}
        try:
            tree |= merged({}, from_flags(own))
        except PrivoptError as error:
            if section not in unread:
                problems.append(Problem.of(error, next(iter(own), _FIRST[section])))
    source = None
    if "program" in tree:
        try:
            source = source_of(tree["program"])
        except PrivoptError as error:
            field = _blamed("program", tree["program"], error, source_of)
            problems.append(Problem.of(error, field))
    else:
        problems.append(
            Problem("no program is chosen.", "a network, a case file or a program file.",
                    "choose a network.", "network")
        )  # fmt: skip
    if source is None:
        return Filled(tree, None, None, _told(problems, form), {})
    parts: dict[str, Job] = {}
    for section in SECTIONS[1:]:
        if section in tree:
            alone = partial(_alone, tree, section, source)
            try:
                parts[section] = alone(tree[section])
            except PrivoptError as error:
                if section not in unread:  # what could not be read is told already
                    field = _blamed(section, tree[section], error, alone)
                    problems.append(Problem.of(error, field))
    job = None if problems else job_of(tree, source=source)
    return Filled(tree, source, job, _told(problems, form), parts)


def _told(problems: list[Problem], form: Mapping[str, str]) -> tuple[Problem, ...]:
    """The problems, each about what was typed into its field."""
    return tuple(about(one, form.get(one.field or "", "")) for one in problems)


def _alone(tree: Tree, section: str, source: Source, entries: dict[str, Any]) -> Job:
    """The job of one section; its query, noise, domain and sums must fit the program."""
    job = job_of({"program": tree["program"], section: entries}, source=source)
    names = source.program.private_names
    if job.query is not None:
        job.query.matrix(source.program)
    if job.privacy is not None:
        job.privacy.aligned(names)
    if job.domain is not None:
        job.domain.ends(names)
    if job.measure is not None and job.measure != "choose":
        sums_of(job.measure, list(names))
    return job


def _blamed(
    section: str,
    entries: dict[str, Any],
    error: PrivoptError,
    attempt: Callable[[dict[str, Any]], object],
) -> str:
    """The flag of the entry that an error is about.

    One that is missing; one that the error names or quotes; one without which there is no error,
    or another one; or the first of the section.
    """
    flags = {key.name: key.flag for key in schema() if key.section == section and key.flag}
    missing = _missing(section, entries)
    if missing is not None:
        return flags.get(missing) or _FIRST[section]
    words = re.findall(r"\w+", error.got)
    named = [name for name in words if name in entries and name in flags]
    named += [
        name for name, value in entries.items()
        if name in flags and isinstance(value, str) and value in error.got
    ]  # fmt: skip
    if named:
        return str(flags[named[0]])
    changed: list[str] = []
    for name in entries:
        try:
            attempt({other: value for other, value in entries.items() if other != name})
        except PrivoptError as other:
            changed += [name] if other.got != error.got else []
            continue
        changed.insert(0, name)
        break
    return next(
        (str(flags[name]) for name in (*changed, *entries) if name in flags), _FIRST[section]
    )


def _missing(section: str, entries: dict[str, Any]) -> str | None:
    """What a section cannot do without and does not have."""
    choice = CHOICES.get(section)
    if choice is not None:
        own: Any = choice.chosen(entries)
        for item in dataclasses.fields(own):
            lacks = item.init and item.default is dataclasses.MISSING
            if lacks and item.default_factory is dataclasses.MISSING and item.name not in entries:
                return item.name
    if section == "domain" and "around" not in entries:
        return next((name for name in ("lower", "upper") if name not in entries), None)
    return None


def digest_of(form: Mapping[str, str], tree: Tree) -> str:
    """What identifies a job: its entries, and the state of the files that it reads.

    Their bytes are not looked at: those of a case file are private.
    """
    taken = hashlib.sha256(json.dumps(sorted(form.items())).encode())
    for name in inputs_of(tree, None):
        taken.update(state_of(Path(name)))
    return taken.hexdigest()[:32]


def state_of(path: Path) -> bytes:
    """What changes when a file does: its dates, size and number; nothing where there is none."""
    if not path.is_file():
        return b""
    known = path.stat()
    changed = f"{known.st_mtime_ns} {known.st_ctime_ns}"  # the second cannot be set back
    return f"{changed} {known.st_size} {known.st_ino};".encode()
