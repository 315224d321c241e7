"""Routes of a process of the workbench: JSON, pages and static files, and errors as answers.

Work is done in threads, so that no page waits for another one's. What is raised is answered with
its public parts; anything unexpected without any.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from privopt.errors import PrivoptError
from privopt.extra import library
from privopt.web.problems import UNEXPECTED, Problem, ProblemError, problem_bytes, status_of

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute, Route

__all__ = ["answered", "application", "page", "static"]

Answer = Callable[["Request", bytes], Any]
_JSON = "application/json"
_TYPES = {
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
    "js": "text/javascript; charset=utf-8",
}  # fmt: skip
_NOWHERE = Problem("there is nothing at this address.", "an address of the workbench.", "go to /.")


def answered(path: str, answer: Answer, method: str = "GET") -> Route:
    """A route whose answer is plain data (JSON) or a text."""
    library("starlette", "web")
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import Response
    from starlette.routing import Route

    async def respond(request: Request) -> Response:
        content = await request.body()
        try:
            found = await run_in_threadpool(answer, request, content)
        except ProblemError as error:
            return _refused(error.status, error.problem, **error.more)
        except PrivoptError as error:
            return _refused(status_of(error), Problem.of(error))
        except OSError as error:
            why = error.strerror or "the system refused it"
            return _refused(422, Problem(f"a file could not be used ({why}).", "a file that may "
                                         "be read or written.", "check the path."))  # fmt: skip
        except Exception:  # its text may hold anything
            return _refused(500, UNEXPECTED)
        if isinstance(found, str):
            return Response(found, media_type="text/plain; charset=utf-8")
        return Response(json.dumps(found, allow_nan=False), media_type=_JSON)

    return Route(path, respond, methods=[method])


def page(name: str) -> Callable[[Request], Any]:
    """A page of our own, as it is."""

    def respond(_: Request) -> Response:
        return _file(name)

    return respond


def static() -> Route:
    """The files of the folder `static`, by name."""
    from starlette.routing import Route

    def respond(request: Request) -> Response:
        return _file(request.path_params["name"])

    return Route("/static/{name}", respond)


def _file(name: str) -> Response:
    from starlette.responses import Response

    folder = files("privopt.web") / "static"
    known = {one.name for one in folder.iterdir()}
    kind = _TYPES.get(name.rpartition(".")[2])
    if name not in known or kind is None:
        return _refused(404, _NOWHERE)
    return Response((folder / name).read_bytes(), media_type=kind)


def application(routes: Sequence[BaseRoute]) -> Starlette:
    """Routes as an application; what is elsewhere is not found, in our words."""
    library("starlette", "web")
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException

    async def refused(_: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        return _refused(status, _NOWHERE if status in (404, 405) else UNEXPECTED)

    async def told(_: Request, error: Exception) -> Response:
        if isinstance(error, ProblemError):
            return _refused(error.status, error.problem, **error.more)
        return _refused(500, UNEXPECTED)

    handlers = {HTTPException: refused, ProblemError: told}
    return Starlette(routes=list(routes), exception_handlers=handlers)


def _refused(status: int, problem: Problem, **more: Any) -> Response:  # noqa: ANN401 -- plain data
    from starlette.responses import Response

    return Response(problem_bytes(problem, **more), status, media_type=_JSON)
