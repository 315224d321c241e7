"""The curator's own fields: data, ledger and key as texts, which never reach the public process.

    fields + the public form of the session's folder -> tree -> job (`app.job.job_of`)

The fields are the flags of [data] and [ledger]. What a job file says there stays, where a field
says nothing else. The public form is read from the file in which the session keeps it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privopt.app.job import Job, job_of
from privopt.app.options import schema
from privopt.app.schema import Form
from privopt.app.texts import flags_of
from privopt.app.tree import Tree, check_domain_is_public, from_flags, merged
from privopt.app.values import of_text
from privopt.errors import PrivoptError
from privopt.web.forms import digest_of
from privopt.web.hidden import hide
from privopt.web.ledgers import LedgerAt, named_ledger
from privopt.web.problems import Problem, ProblemError
from privopt.web.session import FORM

__all__ = ["OWN", "Fields", "PrivateJob", "private_files"]

OWN = ("data", "ledger")
_OF_LEDGER = ("ledger", "limit", "limit-delta", "dataset", "anchor")  # of one ledger, not another
_LONGEST = 4096  # characters of a field
_NO_DATA = Problem(
    "there is no data file at this path.", "a CSV, Parquet or JSON file.", "check the path.", "data"
)
_MISSING = {
    "data": Problem(
        "no data file is named.",
        "the private data: the loads of a test network are public, and are not released here.",
        "write the path of a CSV, Parquet or JSON file.",
        "data",
    ),
    "ledger": Problem(
        "no ledger is named.",
        "the ledger that counts what these data were used for.",
        "write its path; with a limit, a new one is made.",
        "ledger",
    ),
    "key": Problem(
        "the release has no key.",
        "a key: the same key asked again is replayed, and nothing is charged twice.",
        "write one, such as 2026-11.",
        "key",
    ),
}


def private_files(tree: Tree) -> tuple[str, ...]:
    """The files of the private data, as a job names them."""
    found = tree.get("data", {}).get("file")
    return () if found is None else (str(getattr(found, "path", found)),)


@dataclass(frozen=True, eq=False, repr=False)
class PrivateJob:
    """A job with its private sections, and the digest of the public form that it is of."""

    job: Job
    digest: str
    tree: Tree

    @property
    def ledger(self) -> LedgerAt | None:
        """The ledger that is named."""
        own = self.tree.get("ledger", {})
        if "path" not in own:
            return None
        told = {name: own.get(name) for name in ("limit", "delta", "dataset")}
        return LedgerAt(own["path"].path, **{k: v and str(v) for k, v in told.items()})


class Fields:
    """What the curator's page asks for, beside the sections of a job file."""

    def __init__(self, folder: Path, tree: Tree, file: str | None, home: Path) -> None:
        self._folder, self._file, self._home = folder, file, home
        self._own: Tree = {name: tree[name] for name in OWN if name in tree}
        self._texts = flags_of(self._own, folder, OWN)
        self._keys = {key.flag: key for key in schema() if key.flag and key.section in OWN}
        self._last: dict[str, str] = {}  # what was asked for last: the page may be opened again

    def start(self) -> dict[str, Any]:
        """What the fields hold at first, and what the public form says."""
        form = self.form()
        texts = {**self._texts, **self._last}
        named = named_ledger(self._folder)
        if named is not None and named.place != texts.get("ledger"):
            texts = {name: text for name, text in texts.items() if name not in _OF_LEDGER}
            texts["ledger"] = named.place
        return {
            "revision": form["revision"],
            "digest": form["digest"],
            "form": form["form"],
            "fields": texts,
            "out": str(self._home / "release"),
            "in_job": "values" in self._own.get("data", {}),
            "labels": {
                flag: {"help": key.help, "choices": list(key.choices)}
                for flag, key in self._keys.items()
            },
        }

    def form(self) -> dict[str, Any]:
        """The public form as the session keeps it."""
        return dict(json.loads((self._folder / FORM).read_bytes()))

    def asked(self, fields: Mapping[str, Any], *needed: str) -> PrivateJob:
        """The job of the public form and these fields; ProblemError names the field at fault."""
        flags = self._checked(fields)
        public = self.form()
        tree = merged(self._own, from_flags({**public["form"], **flags}))
        data = tree.get("data", {})
        cleared = not str(fields.get("data", "file")).strip()
        if "values" not in data and (cleared or "file" not in data):
            raise ProblemError(422, _MISSING["data"])
        for flag in needed:
            key = self._keys[flag]
            if key.name not in tree.get(key.section, {}):
                raise ProblemError(422, _MISSING[flag])
        check_domain_is_public(tree)
        self._last = {name: text for name, text in fields.items() if text.strip()}
        hide(self._folder, private_files(tree))
        own = merged({}, from_flags(public["form"]))  # the files of the form as they are now
        return PrivateJob(job_of(tree, self._file), digest_of(public["form"], own), tree)

    def _checked(self, fields: Mapping[str, Any]) -> dict[str, str]:
        flags: dict[str, str] = {}
        for name, text in fields.items():
            if name not in self._keys:
                raise ProblemError(400, Problem(f"there is a field {name!r:.60}.", "those of the "
                                                "page.", "leave it out.", name[:60]))  # fmt: skip
            if not isinstance(text, str) or len(text) > _LONGEST:
                raise ProblemError(
                    400, Problem(f"{name} is no text, or too long.", "a text.", "correct it.", name)
                )
            if text.strip() and text != self._texts.get(name):
                flags[name] = self._path(name, text.strip())
        for name, text in flags.items():
            try:
                of_text(self._keys[name], text)
            except PrivoptError as error:
                raise ProblemError(422, Problem.of(error, name)) from None
        data = flags.get("data")
        if data is not None and not Path(data).is_file():
            raise ProblemError(422, _NO_DATA)
        return flags

    def _path(self, name: str, text: str) -> str:
        kind = self._keys[name].kind
        return str(Path(text).expanduser()) if kind in (Form.FILE, Form.OUTPUT) and (
            text.startswith("~")
        ) else text  # fmt: skip
