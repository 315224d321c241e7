"""The curator's page and its answers: an application of its own, at an address of its own.

GET  /api/start     what the fields hold at first, and the public form
POST /api/dry-run   what would be charged, and whether it fits
POST /api/look      PRIVATE: goes from this process to the frame, and nowhere else
POST /api/release   after the typed confirmation
GET  /released/...  the files that were released here: public
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privopt.extra import library
from privopt.web.problems import Problem, ProblemError, body_of, whole
from privopt.web.releasing import Curator
from privopt.web.routing import answered, application, page, static

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["curator_app"]

_SANDBOX = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
)


def curator_app(curator: Curator) -> Starlette:
    """The application of the curator's process."""
    library("starlette", "web")
    from starlette.responses import Response
    from starlette.routing import Route

    def start(_request: Request, _: bytes) -> Any:  # noqa: ANN401 -- plain data
        return curator.fields.start()

    def dry_run(_: Request, content: bytes) -> Any:  # noqa: ANN401
        return curator.dry_run(whole(body_of(content, fields=dict), "fields")["fields"])

    def look(_: Request, content: bytes) -> Any:  # noqa: ANN401
        return curator.look(whole(body_of(content, fields=dict), "fields")["fields"])

    def release(_: Request, content: bytes) -> Any:  # noqa: ANN401
        known = {"fields": dict, "out": str, "confirm": str, "digest": str, "clamp": bool}
        body = whole(body_of(content, **known), "fields", "out", "confirm", "digest")
        return curator.release(
            body["fields"], body["out"], body["confirm"], body["digest"],
            clamp=body.get("clamp", False),
        )  # fmt: skip

    def file(request: Request) -> Response:
        """A released file; its page without the rights of this origin."""
        path = curator.files.get(request.path_params["name"])
        if path is None or not path.is_file():
            raise ProblemError(404, _NO_FILE)
        kind = "text/html" if path.suffix == ".html" else "application/json"
        more = {"content-security-policy": _SANDBOX} if path.suffix == ".html" else {}
        return Response(path.read_bytes(), media_type=f"{kind}; charset=utf-8", headers=more)

    return application(
        [
            Route("/", page("private.html")),
            static(),
            answered("/api/start", start),
            answered("/api/dry-run", dry_run, "POST"),
            answered("/api/look", look, "POST"),
            answered("/api/release", release, "POST"),
            Route("/released/{name}", file),
        ]
    )


_NO_FILE = Problem(
    "there is no such released file.", "a file that was released here.", "look in its folder."
)
