"""The public process: pages Model, Design, Release (its frame) and Ledger, and their JSON.

It never reads the data file and holds no d. The frame of the screen Release shows the page of the
curator's process, which has an address of its own.

    GET  /api/state   /api/networks   /api/model   /api/design/{digest}   /api/ledger
    PUT  /api/form    POST /api/design   DELETE /api/design
    POST /api/ledger  /api/ledger/verify   /api/evidence   /api/curator
    GET  /api/job.toml   /api/job.py
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privopt.app.python_text import python_of
from privopt.app.texts import toml_of
from privopt.app.tree import Tree
from privopt.errors import PrivoptError
from privopt.extra import library
from privopt.ledger import Budget
from privopt.web.catalogue import catalogue
from privopt.web.ledgers import LedgerAt, name_ledger
from privopt.web.problems import Problem, ProblemError, body_of, whole
from privopt.web.published import published_files
from privopt.web.routing import answered, application, page, static
from privopt.web.session import Session
from privopt.web.typed import about

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

__all__ = ["public_app"]

_PAGES = ("model", "design", "release", "ledger")
_NO_LEDGER = Problem(
    "no ledger is named.", "the path of a ledger.", "name one, or make one with a limit.", "path"
)


def public_app(
    session: Session, curator: Callable[[str], str], token: Callable[[], str], start: str
) -> Starlette:
    """The application.

    Parameters
    ----------
    session
        What the tabs share.
    curator, token
        The curator's origin as seen from a host name, and a new token for it.
    start
        The page that `/` leads to.
    """
    library("starlette", "web")
    from starlette.responses import RedirectResponse
    from starlette.routing import Route

    def first(_: Request) -> Any:  # noqa: ANN401 -- a response
        return RedirectResponse(f"/{start}", 303)

    def state(request: Request, _: bytes) -> Any:  # noqa: ANN401 -- plain data
        return {**session.state(), "curator": curator(_host(request))}

    def networks(_request: Request, _: bytes) -> Any:  # noqa: ANN401
        return catalogue()

    def model(_request: Request, _: bytes) -> Any:  # noqa: ANN401
        return session.model()

    def put_form(_: Request, content: bytes) -> Any:  # noqa: ANN401
        body = whole(body_of(content, revision=int, form=dict), "revision", "form")
        return session.put(body["revision"], body["form"])

    def design(_: Request, content: bytes) -> Any:  # noqa: ANN401
        body = whole(body_of(content, revision=int, choose=bool), "revision")
        return session.design(body["revision"], choose=body.get("choose", False))

    def stop(_request: Request, _: bytes) -> Any:  # noqa: ANN401
        session.designs.stop()
        return {}

    def progress(request: Request, _: bytes) -> Any:  # noqa: ANN401
        return session.designs.look(request.path_params["digest"])

    def job_toml(_request: Request, _: bytes) -> Any:  # noqa: ANN401
        return toml_of(_sound(session))

    def job_py(_request: Request, _: bytes) -> Any:  # noqa: ANN401
        return python_of(_sound(session))

    def ledger(_request: Request, _: bytes) -> Any:  # noqa: ANN401
        named = session.ledger
        return None if named is None else {**named.to_dict(), **_for_evidence(session)}

    def set_ledger(_: Request, content: bytes) -> Any:  # noqa: ANN401
        body = whole(body_of(content, path=str, limit=str, delta=str, dataset=str), "path")
        given = {name: text for name, text in body.items() if text.strip()}
        if "path" not in given:
            raise ProblemError(422, _NO_LEDGER)
        place = str(Path(given.pop("path")).expanduser()) if "://" not in given["path"] else (
            given.pop("path")
        )  # fmt: skip
        _check_limit(given)
        made = LedgerAt(place, **given).made()
        name_ledger(session.folder, made)
        return {**made.to_dict(), **_for_evidence(session)}

    def verify(_request: Request, _: bytes) -> Any:  # noqa: ANN401
        return _ledger(session).verified()

    def evidence(_: Request, content: bytes) -> Any:  # noqa: ANN401
        body = whole(body_of(content, files=list, out=str), "files", "out")
        files = [str(Path(str(one)).expanduser()) for one in body["files"] if str(one).strip()]
        if not files or not body["out"].strip():
            raise ProblemError(
                422,
                Problem("no files, or no folder, are named.", "released files, and a folder to "
                        "make.", "name both.", "out" if files else "files"),
            )  # fmt: skip
        out = str(Path(body["out"]).expanduser())
        return _ledger(session).evidence(files, out)

    def open_curator(request: Request, _: bytes) -> Any:  # noqa: ANN401
        return {"address": f"{curator(_host(request))}/?token={token()}"}

    return application(
        [
            Route("/", first),
            *(Route(f"/{name}", page(f"{name}.html")) for name in _PAGES),
            static(),
            answered("/api/state", state),
            answered("/api/networks", networks),
            answered("/api/model", model),
            answered("/api/form", put_form, "PUT"),
            answered("/api/design", design, "POST"),
            answered("/api/design", stop, "DELETE"),
            answered("/api/design/{digest}", progress),
            answered("/api/job.toml", job_toml),
            answered("/api/job.py", job_py),
            answered("/api/ledger", ledger),
            answered("/api/ledger", set_ledger, "POST"),
            answered("/api/ledger/verify", verify, "POST"),
            answered("/api/evidence", evidence, "POST"),
            answered("/api/curator", open_curator, "POST"),
        ]
    )


def _host(request: Request) -> str:
    """The name that the browser calls this machine by."""
    return request.headers["host"].rpartition(":")[0]


def _check_limit(given: dict[str, str]) -> None:
    """Refuse a limit that is none, at its own field."""
    if "limit" not in given:
        return
    try:
        Budget(given["limit"])
    except PrivoptError as error:
        raise ProblemError(422, about(Problem.of(error, "limit"), given["limit"])) from None


def _sound(session: Session) -> Tree:
    """The entries of the form; a job that would be refused is not handed out."""
    found = session.current()
    if found.problems:
        raise ProblemError(422, found.problems[0])
    return found.tree


def _for_evidence(session: Session) -> dict[str, Any]:
    """What was released here, and a folder for its evidence that is not there yet."""
    out = next(
        place
        for k in count(1)
        if not (place := session.home / ("evidence" if k == 1 else f"evidence-{k}")).exists()
    )
    return {"published": published_files(session.folder), "evidence": str(out)}


def _ledger(session: Session) -> LedgerAt:
    named = session.ledger
    if named is None:
        raise ProblemError(422, _NO_LEDGER)
    return named
