"""The session of the public process: the form, its revision, the ledger, and what was made of it.

The form is one for all tabs. Whoever changes it says which revision was seen; if another tab was
first, the change is refused and the current state goes with the refusal. The form is also kept in a
file of the session's folder, from which the curator's process takes it. Nothing here knows d.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import privopt
from privopt.claims.units import unit_of
from privopt.errors import PrivoptError
from privopt.files import write_whole
from privopt.web.drawn import model_of
from privopt.web.forms import Filled, check_fields, digest_of, filled
from privopt.web.hidden import hidden_named
from privopt.web.ledgers import LedgerAt, name_ledger, named_ledger
from privopt.web.problems import Problem, ProblemError
from privopt.web.programs import Programs
from privopt.web.running import Designs

__all__ = ["FORM", "Session"]

FORM = "form.json"


class Session:
    """What the tabs of one workbench share."""

    def __init__(
        self, folder: Path, form: Mapping[str, str], ledger: LedgerAt | None, home: Path
    ) -> None:
        self.folder, self.home = folder, home  # home: where what is made is written
        if ledger is not None:
            name_ledger(folder, ledger)
        self.programs, self.designs = Programs(folder), Designs(folder)
        self.lock = threading.RLock()
        self.revision = 0
        self._model: tuple[str, dict[str, Any]] | None = None
        self._read(check_fields(form))

    @property
    def ledger(self) -> LedgerAt | None:
        """The ledger that the session is about, as it was named last, here or by the curator."""
        return named_ledger(self.folder)

    def _read(self, form: dict[str, str]) -> None:
        hidden = hidden_named(self.folder, form)
        if hidden is None:
            found = filled(form, self.programs.source_of)
        else:
            found = Filled({}, None, None, (hidden,), {})
        digest = digest_of(form, found.tree)
        self.form, self.filled, self.digest = form, found, digest
        self.revision += 1
        kept = {"revision": self.revision, "digest": digest, "form": form}
        write_whole(self.folder / FORM, json.dumps(kept).encode())

    def put(self, revision: int, form: Mapping[str, Any]) -> dict[str, Any]:
        """Change the form; refused if another tab was first."""
        with self.lock:
            if revision != self.revision:
                raise self.conflict()
            checked = check_fields(form)
            if checked != self.form:
                self._read(checked)
            return {
                "revision": self.revision,
                "digest": self.digest,
                "problems": [one.to_dict() for one in self.filled.problems],
            }

    def conflict(self) -> ProblemError:
        """The refusal of a change to a form that is no longer the current one."""
        problem = Problem(
            "another tab changed the form first.",
            "a change of the form as it is now.",
            "look at the current form, and change that.",
        )
        return ProblemError(409, problem, {"state": self.state()})

    def current(self) -> Filled:
        """The form, read anew where a file that it names has changed."""
        with self.lock:
            hidden = hidden_named(self.folder, self.form)
            kept = hidden is None or self.filled.problems == (hidden,)
            if not kept or digest_of(self.form, self.filled.tree) != self.digest:
                self._read(self.form)
            return self.filled

    def state(self) -> dict[str, Any]:
        """What GET /api/state answers, but for the curator's address."""
        with self.lock:
            source = self.filled.source
            units, ledger = None if source is None else source.program.units, self.ledger
            return {
                "version": privopt.__version__,
                "revision": self.revision,
                "digest": self.digest,
                "form": dict(self.form),
                "title": self._title(),
                "home": str(self.home),
                "problems": [one.to_dict() for one in self.filled.problems],
                "ledger": None if ledger is None else self._amounts(ledger),
                "unit": None if source is None else unit_of(source.program),
                "cost_unit": None if units is None else units.cost or None,
            }

    def _amounts(self, ledger: LedgerAt) -> dict[str, Any]:
        try:
            return ledger.amounts()
        except PrivoptError as error:
            return {"path": ledger.shown, "error": Problem.of(error, "ledger").to_dict()}

    def _title(self) -> str | None:
        for name in ("network", "case", "program"):
            if name in self.form:
                return self.form[name] if name == "network" else Path(self.form[name]).name
        return None

    def model(self) -> dict[str, Any]:
        """What GET /api/model answers."""
        with self.lock:
            found, digest, kept = self.current(), self.digest, self._model
        if found.source is None:
            raise ProblemError(422, found.problems[0])
        if kept is not None and kept[0] == digest:
            return kept[1]
        domain, privacy = found.parts.get("domain"), found.parts.get("privacy")
        shown = model_of(
            found.source,
            self.programs.drawn_of(found.tree["program"]),
            None if domain is None else domain.domain,
            None if privacy is None else privacy.privacy,
        )
        with self.lock:
            self._model = digest, shown
        return shown

    def design(self, revision: int, *, choose: bool) -> dict[str, Any]:
        """Start the design of the form, or find it."""
        with self.lock:
            if revision != self.revision:
                raise self.conflict()
            found = self.current()
            if found.job is None:
                raise ProblemError(422, found.problems[0])
            name = f"{self.digest}-choose" if choose else self.digest
            return {"digest": name, "status": self.designs.start(name, self.form, choose=choose)}
