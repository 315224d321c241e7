"""The processes of a workbench, from the first to the last: what `privopt open` runs.

    with opened(job) as bench:      the public process's socket, its application, the curator
        bench.address               with the token that opens it once
        bench.serve()               until Ctrl-C
        with bench.serving(): ...   the same in a thread, until the end of the block

The session's folder is temporary, for its owner alone, and removed at the end. The curator holds
the read end of a pipe from here: when this process ends, however it ends, so does the curator.
"""

from __future__ import annotations

import html
import socket
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from privopt.errors import InputError
from privopt.extra import library
from privopt.files import write_whole
from privopt.web.child import Child
from privopt.web.guard import Guard, Keys, policy
from privopt.web.ledgers import LedgerAt
from privopt.web.public import public_app
from privopt.web.session import Session

if TYPE_CHECKING:
    from starlette.types import ASGIApp

__all__ = ["HOSTS", "Bench", "bound", "opened", "run_server"]

HOSTS = ("127.0.0.1", "localhost")


@dataclass(repr=False)
class Bench:
    """A workbench that is ready to serve."""

    socket: socket.socket
    app: ASGIApp
    keys: Keys
    session: Session
    curator: Child
    port: int

    @property
    def origin(self) -> str:
        """Where it is."""
        return f"http://{HOSTS[0]}:{self.port}"

    @property
    def address(self) -> str:
        """The same with a new token, which opens it once."""
        return f"{self.origin}/?token={self.keys.token()}"

    def door(self) -> str:
        """A file of the session that leads to the address, for its owner's browser.

        A browser is handed the file and not the address: what it is started with, everybody on
        the machine can read.
        """
        path = self.session.folder / "open.html"
        link = html.escape(self.address)
        page = (
            '<!doctype html><meta charset="utf-8"><title>privopt</title>'
            f'<meta name="referrer" content="no-referrer"><meta http-equiv="refresh" '
            f'content="0;url={link}"><a href="{link}">Open the workbench</a>'
        )
        write_whole(path, page.encode(), private=True)
        return path.as_uri()

    def serve(self) -> None:
        """Answer, until stopped."""
        self.session.designs.prepare()
        run_server(self.app, self.socket)

    @contextmanager
    def serving(self) -> Generator[Self]:
        """Answer in a thread of this process, until the end of the block."""
        server = server_of(self.app)
        thread = threading.Thread(target=server.run, args=([self.socket],), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def opened(job: str | Path | None = None, port: int = 0) -> Generator[Bench]:
    """A workbench, with a job file to start from; all its processes end with it."""
    library("starlette", "web")
    library("uvicorn", "web")
    with (
        tempfile.TemporaryDirectory(prefix="privopt-") as folder,
        bound(port) as listening,
    ):
        own = listening.getsockname()[1]
        place = Path(folder)
        home = Path.cwd() if job is None else Path(job).absolute().parent
        asked = {
            "folder": folder,
            "home": str(home),
            "job": None if job is None else str(Path(job).absolute()),
            "origins": [f"http://{host}:{own}" for host in HOSTS],
        }
        with Child.started("privopt.web.curator", asked) as curator:
            found = curator.first
            ledger = found["ledger"]
            session = Session(place, found["form"], ledger and LedgerAt(**ledger), home)
            there = int(found["port"])
            try:
                keys = Keys(f"privopt_public_{own}")
                app = public_app(
                    session,
                    lambda host: f"http://{host}:{there}",
                    lambda: str(curator.ask({"ask": "token"})["token"]),
                    "model" if job is None else "design",
                )
                frames = " ".join(f"http://{host}:{there}" for host in HOSTS)
                hosts = [f"{host}:{own}" for host in HOSTS]
                guarded = Guard(app, keys, hosts, policy(frames=frames))
                yield Bench(listening, guarded, keys, session, curator, own)
            finally:
                session.designs.close()


@contextmanager
def bound(port: int) -> Generator[socket.socket]:
    """A socket that listens on this machine alone; port 0 takes a free one."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOSTS[0], port))
        except (OSError, OverflowError):
            raise InputError(
                f"port {port} cannot be used.",
                "a free port from 1024 to 65535.",
                "leave --port out: a free one is taken.",
            ) from None
        listening.listen(128)
        yield listening
    finally:
        listening.close()


def run_server(app: Any, listening: socket.socket) -> None:  # noqa: ANN401 -- an ASGI application
    """Answer on a socket, until stopped."""
    server_of(app).run([listening])


def server_of(app: Any) -> Any:  # noqa: ANN401 -- of uvicorn, which is an extra
    """A server that logs nothing: addresses may hold a token."""
    uvicorn = library("uvicorn", "web")
    config = uvicorn.Config(
        app,
        access_log=False,
        log_config=None,
        log_level="critical",
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=1,
        timeout_keep_alive=30,
        ws="none",
        http="h11",
        loop="asyncio",
    )
    return uvicorn.Server(config)
