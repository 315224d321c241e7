"""A release by the curator's process: dry run, private look, charge, files. As the commands do it.

    dry_run      prepare, then rehearse: what would be charged, and whether the ledger has it left
    look         the curator's look at the data; a receipt is written beside them. PRIVATE
    release      looked at or clamped by word, the places taken, charged, drawn, written

All of it is `app/`: `prepare`, `rehearsed`, `prepare_look`, `holds`, `charged_ledger`. One at a
time: who asks for the same key again waits, and gets a replay, free. Nothing is written over.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from privopt.app.looking import prepare_look
from privopt.app.making import chosen_instrument
from privopt.app.preparing import Prepared, charged_ledger, prepare, released
from privopt.app.receipt import holds, receipt_path, write_receipt
from privopt.app.rehearsal import rehearsed
from privopt.errors import BudgetExceededError, InputError, LedgerError, PrivoptError
from privopt.files import Place, reserved, write_whole
from privopt.kernel import wire
from privopt.kernel.measurement import Measurement
from privopt.kernel.release import Release
from privopt.ledger import Budget
from privopt.mechanisms.measured.decision import Decision
from privopt.report.sheet import compared, page_of
from privopt.web.asking import Fields, PrivateJob
from privopt.web.forms import state_of
from privopt.web.ledgers import name_ledger
from privopt.web.problems import Problem, ProblemError
from privopt.web.published import add_published
from privopt.web.showing import shown

__all__ = ["Curator"]


@dataclass(repr=False)
class _Writing:
    """The places of the files of one release, taken before the charge, and what was written."""

    paths: dict[str, Path]
    places: dict[str, Place]
    written: dict[str, Path] = field(default_factory=dict[str, Path])

    def keep(self, part: Measurement | Decision | Release) -> None:
        """Write a file; one that is there already must hold the same."""
        path = self.paths[part.kind]
        try:
            self.places[part.kind].write(f"{wire.text(part, indent=2)}\n".encode())
        except FileExistsError:
            try:
                same = type(part).load(path).to_dict() == part.to_dict()
            except InputError:
                same = False
            if not same:
                raise _elsewhere(path, "it is there already and holds something else") from None
        except OSError as error:
            raise _elsewhere(path, error.strerror or "the system refused it") from None
        self.written[part.kind] = path


class Curator:
    """The curator's work for one session.

    Parameters
    ----------
    folder, fields
        Of the session, and what its page asks for.
    """

    def __init__(self, folder: Path, fields: Fields) -> None:
        self.folder, self.fields = folder, fields
        self.files: dict[str, Path] = {}
        self._lock = threading.Lock()
        self._ready: tuple[str, Prepared[Release]] | None = None
        self._writing: _Writing | None = None

    def dry_run(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """What would be charged, by what, and whether it fits. Nothing of it depends on d."""
        with self._lock:
            asked = self.fields.asked(fields, "ledger", "key")
            ready = self._prepared(asked)
            told: dict[str, Any] = {
                "digest": asked.digest,
                "key": asked.job.key,
                "charge": ready.request.charge.to_dict(),
                "clamps": ready.clamps and asked.job.of_private_data,
                "looked": self._looked(asked, ready),
                "warnings": list(ready.poor),
            }
            ledger = asked.ledger
            try:
                found = rehearsed(ready, asked.job)
            except LedgerError as error:
                left = None if ledger is None else ledger.amounts()
                return {**told, "fits": False, "problem": _over(error), "ledger": left}
            if ledger is not None:
                name_ledger(self.folder, ledger)
            return {
                **told,
                "fits": True,
                "problem": None,
                "ledger": None if ledger is None else ledger.amounts(),
                "rehearsal": {**found.to_dict(), "view": shown(found.view())},
            }

    def look(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """PRIVATE: what lies outside of the domain, and what seems wrong; a receipt is written."""
        with self._lock:
            asked = self.fields.asked(fields)
            ready = prepare_look(asked.job)
            found = ready.look()
            path = receipt_path(asked.job)
            if path is not None:
                write_receipt(path, asked.job, ready.subject)
            receipt = None if path is None else str(path)
            return {"private": True, "receipt": receipt, "view": shown(found.view())}

    def release(
        self, fields: Mapping[str, Any], out: str, confirmed: str, digest: str, *, clamp: bool
    ) -> dict[str, Any]:
        """Charge, draw, write. The same key again is a replay: nothing is charged."""
        with self._lock:
            asked = self.fields.asked(fields, "ledger", "key")
            job = asked.job
            if digest != asked.digest:
                raise ProblemError(409, _CHANGED)
            if confirmed != job.key:
                raise ProblemError(422, _UNCONFIRMED)
            ready = self._prepared(asked)
            known = released(job)
            if ready.clamps and job.of_private_data and not (
                known or clamp or self._looked(asked, ready)
            ):  # fmt: skip
                raise ProblemError(409, _NOT_LOOKED)
            with self._places(_paths(asked, out), ready, known=known) as writing:
                ledger = charged_ledger(job, ready.room)
                made = ready.draw(ledger)
                writing.keep(made)
            if asked.ledger is not None:
                name_ledger(self.folder, asked.ledger)
            charged = Budget(0) if made.replayed else ready.request.charge
            return {**self._told(asked, made, writing.written), "charge": charged.to_dict()}

    def _told(self, asked: PrivateJob, made: Release, written: dict[str, Path]) -> dict[str, Any]:
        page = written["release"].with_suffix(".html")
        no_page = None
        try:
            path = written["release"]
            findings = compared(made, asked.job.ledger, path)
            once = replace(made, replayed=False)  # a replay has the page of the release
            text = page_of(once, findings, path=path).encode("utf-8", "replace")
            if not os.path.lexists(page):
                write_whole(page, text)
            if page.is_symlink() or page.read_bytes() != text:
                no_page = f"{page} is there already, with something else, and was left as it is."
            else:
                written["page"] = page
        except (PrivoptError, OSError) as error:
            no_page = f"No page was made: {error.got if isinstance(error, PrivoptError) else error}"
        self.files |= {path.name: path for path in written.values()}
        add_published(self.folder, [path for kind, path in written.items() if kind != "page"])
        ledger = asked.ledger
        return {
            "key": asked.job.key,
            "replayed": made.replayed,
            "row": None if made.ledger is None else made.ledger.row,
            "view": shown(made.view()),
            "files": {kind: {"path": str(path.absolute()), "address": f"/released/{path.name}"}
                      for kind, path in written.items()},
            "no_page": no_page,
            "ledger": None if ledger is None else ledger.amounts(),
        }  # fmt: skip

    @contextmanager
    def _places(
        self, paths: dict[str, Path], ready: Prepared[Release], *, known: bool
    ) -> Generator[_Writing]:
        """Take the places of all files before the charge; nothing is left of those not written."""
        rooms = {"release": ready.room, **ready.rooms}
        page = paths["release"].with_suffix(".html")
        if not known and os.path.lexists(page):
            raise ProblemError(422, _taken(page))
        with ExitStack() as stack:
            places: dict[str, Place] = {}
            for kind, room in rooms.items():
                try:
                    place = stack.enter_context(reserved(paths[kind], may_exist=known))
                    place.make_room(room)
                except FileExistsError:
                    raise ProblemError(422, _taken(paths[kind])) from None
                except OSError as error:
                    raise ProblemError(422, _unwritable(paths[kind], error)) from None
                places[kind] = place
            self._writing = _Writing(paths, places)
            try:
                yield self._writing
            finally:
                self._writing = None

    def _prepared(self, asked: PrivateJob) -> Prepared[Release]:
        """The release of a job, ready to be drawn; kept until the job or a file of it changes."""
        job = asked.job
        names = tuple(state_of(Path(one)) for one in job.inputs)
        name = repr((asked.digest, sorted(asked.tree.get("data", {}).items(), key=str),
                     job.key, job.ledger, names))  # fmt: skip
        if self._ready is None or self._ready[0] != name:
            self._ready = None
            if job.measure == "choose" and job.made_by() != "plan":
                job = replace(job, measure=chosen_instrument(job))
            self._ready = name, prepare(job, keep=self._kept)
        return self._ready[1]

    def _kept(self, part: Measurement | Decision) -> None:
        if self._writing is not None:
            self._writing.keep(part)

    def _looked(self, asked: PrivateJob, ready: Prepared[Release]) -> bool:
        path = receipt_path(asked.job)
        return ready.subject is not None and holds(path, asked.job, ready.subject)


def _paths(asked: PrivateJob, out: str) -> dict[str, Path]:
    """Where the files of a release are written: in a folder, by the key."""
    if not out.strip():
        raise ProblemError(422, _NO_FOLDER)
    folder = Path(out.strip()).expanduser()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise ProblemError(422, _unwritable(folder, error)) from None
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", asked.job.key or "").strip(".-")[:60] or "release"
    return {
        "release": folder / f"{stem}.json",
        "measurement": folder / f"{stem}.measurement.json",
        "decision": folder / f"{stem}.decision.json",
    }


def _over(error: LedgerError) -> dict[str, Any]:
    exhausted = isinstance(error, BudgetExceededError)
    return {**Problem.of(error, "key").to_dict(), "exhausted": exhausted}


def _elsewhere(path: Path, why: str) -> ProblemError:
    return ProblemError(
        422,
        Problem(
            f"{path} could not be written: {why}. What was charged is in the ledger, with the "
            "values.",
            "a place where the release can be written.",
            "name another folder and release again under the same key: it is replayed, free.",
            "out",
        ),
    )


def _taken(path: Path) -> Problem:
    return Problem(
        f"{path} is there already. Nothing was charged.",
        "a folder without a release of this key: nothing is written over.",
        "name another folder, or another key.",
        "out",
    )


def _unwritable(path: Path, error: Exception) -> Problem:
    why = getattr(error, "strerror", None) or "no path can have this name"
    return Problem(
        f"{str(path)!r:.120} cannot be written ({why}). Nothing was charged.",
        "a folder that may be written to.",
        "name another folder.",
        "out",
    )


_NO_FOLDER = Problem("no folder is named.", "a folder for what is released.", "name one.", "out")
_CHANGED = Problem(
    "the job was changed after the dry run. Nothing was charged.",
    "a dry run of the job as it is now.",
    "do the dry run again.",
)
_UNCONFIRMED = Problem(
    "the release was not confirmed. Nothing was charged.",
    "the key, typed again.",
    "type the key to confirm.",
    "confirm",
)
_NOT_LOOKED = Problem(
    "no one has looked at these data for this job. Nothing was charged.",
    "the private look, or your word that data outside of the domain are clamped, whatever they "
    "are.",
    "look at the data, or tick the box.",
    "clamp",
)
