"""Who may talk to a process of the workbench, and what its answers let a browser do.

    Host         127.0.0.1:port or localhost:port; another name is a page that was rebound to here
    token        in the first address only; exchanged for a cookie (HttpOnly, SameSite=Strict) and
                 a redirect to an address without it; valid once
    Origin       of what changes anything: this process's own; a page of another site is refused
    body         at most a megabyte
    answers      strict Content-Security-Policy, no sniffing, no referrer, nothing cached; a
                 released page is shown in a sandbox, without the rights of this origin

Cookies do not know ports: each process has a cookie of its own name.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, urlencode

from privopt.web.problems import Problem, problem_bytes

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard", "Keys", "policy"]

_LARGEST = 1 << 20  # bytes of a body
_SAFE = ("GET", "HEAD")
_DATA = "/api/"
_POLICY = b"content-security-policy"
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"x-dns-prefetch-control", b"off"),
)


@dataclass(repr=False)
class Keys:
    """The secrets of a process: its one-time tokens, the value of its cookie, the key of its pages.

    A browser shows the cookie to every port of this machine, whoever listens there. The key is kept
    by pages of this origin, port included, and is asked for by all that answers with data.
    """

    cookie: str
    key: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    value: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    tokens: set[str] = field(default_factory=set[str])

    def token(self) -> str:
        """A new token, which opens the process once."""
        made = secrets.token_urlsafe(32)
        self.tokens.add(made)
        return made

    def spend(self, given: str) -> bool:
        """Whether a token was good; it is not any more."""
        for token in tuple(self.tokens):
            if secrets.compare_digest(token.encode(), given.encode()):
                self.tokens.discard(token)
                return True
        return False

    def opened_by(self, header: str) -> bool:
        """Whether a Cookie header holds the cookie."""
        pairs = (one.strip().partition("=") for one in header.split(";"))
        given = [value for name, _, value in pairs if name == self.cookie]  # others are others'
        return any(secrets.compare_digest(one.encode(), self.value.encode()) for one in given)

    def shown_by(self, header: str) -> bool:
        """Whether a page showed the key that it was opened with."""
        return secrets.compare_digest(header.encode(), self.key.encode())


def policy(*, frames: str = "'none'", ancestors: str = "'none'") -> str:
    """The Content-Security-Policy: nothing from elsewhere, no inline script or style."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self'; font-src 'self'; frame-src {frames}; frame-ancestors {ancestors}; "
        "form-action 'self'; base-uri 'none'"
    )


class Guard:
    """An ASGI application behind the checks of this module.

    Parameters
    ----------
    app, keys, hosts
        What is guarded, its secrets, and the hosts (with port) that it answers to.
    policy
        The Content-Security-Policy of its answers.
    """

    def __init__(self, app: ASGIApp, keys: Keys, hosts: Iterable[str], policy: str) -> None:
        self._app, self._keys = app, keys
        self._hosts = tuple(hosts)
        self._origins = tuple(f"http://{host}" for host in self._hosts)
        self._added = ((_POLICY, policy.encode("ascii")), *_HEADERS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        send = self._with_headers(send)
        headers = _headers(scope)
        refused = self._refused(scope, headers)
        if refused is not None:
            await _answer(send, *refused)
            return
        known = self._keys.opened_by(headers.get("cookie", ""))
        asked = parse_qsl(scope["query_string"].decode("latin-1"))
        if not known or any(name == "token" for name, _ in asked):
            wants_page = "text/html" in headers.get("accept", "")
            await self._let_in(scope, asked, send, known=known, wants_page=wants_page)
            return
        own = scope["path"].startswith(_DATA)
        if own and not self._keys.shown_by(headers.get("x-privopt-key", "")):
            await _answer(send, 403, _NO_KEY)
            return
        body = await _body(receive, headers.get("content-length"))
        if body is None:
            await _answer(send, 413, _TOO_LARGE)
            return
        await self._app(scope, _once(body, receive), send)

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = [(name.lower(), value) for name, value in message.get("headers", ())]
                kept = [one for one in given if one[0] == _POLICY and one[1].startswith(b"sandbox")]
                added = [*kept, *(one for one in self._added if not kept or one[0] != _POLICY)]
                names = {name for name, _ in added}
                own = [one for one in given if one[0] not in names]
                message = {**message, "headers": [*own, *added]}
            await send(message)

        return sending

    def _refused(self, scope: Scope, headers: dict[str, str]) -> tuple[int, Problem] | None:
        if headers.get("host") not in self._hosts:
            return 400, _WRONG_HOST
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if scope["method"] in _SAFE:
            return None
        if scope["method"] not in ("POST", "PUT", "DELETE"):
            return 405, _WRONG_METHOD
        if origin not in self._origins or site not in (None, "same-origin"):
            return 403, _WRONG_ORIGIN
        return None

    async def _let_in(
        self,
        scope: Scope,
        asked: list[tuple[str, str]],
        send: Send,
        *,
        known: bool,
        wants_page: bool,
    ) -> None:
        """Exchange a token for the cookie, at an address without it; refuse who has neither."""
        token = dict(asked).get("token", "")
        if scope["method"] not in _SAFE or not (self._keys.spend(token) or known):
            await _closed(send, reads_pages=scope["method"] in _SAFE and wants_page)
            return
        rest = urlencode([one for one in asked if one[0] != "token"])
        path = "/" + scope["path"].lstrip("/")  # "//host" would lead elsewhere
        where = f"{path}?{rest}" if rest else path
        cookie = f"{self._keys.cookie}={self._keys.value}; Path=/; HttpOnly; SameSite=Strict"
        kept = (b"set-cookie", cookie.encode("ascii"))
        place = f"{quote(where, safe='/?=&%+-._~')}#key={self._keys.key}".encode("ascii")
        if _headers(scope).get("sec-fetch-site") == "cross-site":
            # Led here by a file (`Bench.door`): a redirect would still count as the file's, and a
            # strict cookie is not sent with it. The page that refreshes itself is our own.
            await _respond(send, 200, b"", (b"refresh", b"0;url=" + place), kept)
            return
        await _respond(send, 303, b"", (b"location", place), kept)


def _headers(scope: Scope) -> dict[str, str]:
    """The headers of a request; one that comes twice counts as neither."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        found[key] = "" if key in found and key != "cookie" else value.decode("latin-1")
    return found


async def _body(receive: Receive, length: str | None) -> bytes | None:
    """The whole body; None if it is too large."""
    if length is not None and not (length.isdigit() and int(length) <= _LARGEST):
        return None
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return body
        body, more = body + message.get("body", b""), message.get("more_body", False)
        if len(body) > _LARGEST:
            return None
    return body


def _once(body: bytes, receive: Receive) -> Receive:
    """What was read already, as if it came now; then what comes."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return messages.pop() if messages else await receive()

    return again


async def _answer(send: Send, status: int, problem: Problem) -> None:
    await _respond(send, status, problem_bytes(problem), (b"content-type", b"application/json"))


async def _closed(send: Send, *, reads_pages: bool) -> None:
    """Refuse whoever was not let in: a browser with a page, a program with JSON."""
    if not reads_pages:
        await _answer(send, 403, _NO_TOKEN)
        return
    body = (files("privopt.web") / "static" / "closed.html").read_bytes()
    await _respond(send, 403, body, (b"content-type", b"text/html; charset=utf-8"))


async def _respond(send: Send, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
    length = (b"content-length", str(len(body)).encode("ascii"))
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})


_WRONG_HOST = Problem(
    "the address names another host.",
    "127.0.0.1 and the port that privopt open printed.",
    "open the address that privopt open printed.",
)
_WRONG_METHOD = Problem("the method is not known here.", "GET, POST, PUT or DELETE.", "use one.")
_WRONG_ORIGIN = Problem(
    "another site asked for a change.",
    "a request from a page of the workbench itself.",
    "use the page that privopt open opened.",
)
_NO_KEY = Problem(
    "this page was not opened by its address.",
    "a page that has the key of this workbench: every tab of the browser that opened it.",
    "use the address that privopt open prints; started again, it prints a new one.",
)
_NO_TOKEN = Problem(
    "this browser was not let in.",
    "the address with the token, which opens the workbench once.",
    "open the address that privopt open printed; if it was used, start privopt open again.",
)
_TOO_LARGE = Problem(
    "the request is too large.", "at most a megabyte.", "name files by their paths."
)
