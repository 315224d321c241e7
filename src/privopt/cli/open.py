"""`privopt open`: the workbench, a local web page."""

from __future__ import annotations

import signal
from typing import Annotated

import typer

from privopt.cli.streams import chatter, escape

__all__ = ["open_workbench"]


def _end(number: int, _: object) -> None:
    raise SystemExit(128 + number)


def open_workbench(
    job: Annotated[
        str | None,
        typer.Argument(metavar="JOB", help="Job file to start from: see `privopt init`."),
    ] = None,
    port: Annotated[
        int, typer.Option(help="Port of the page; a free one unless given.", min=0, max=65535)
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address.")
    ] = False,
) -> None:
    """Open the workbench in a browser: model, design, release and ledger on four screens.

    The page runs on this machine alone (127.0.0.1) and fetches nothing from elsewhere. The address
    that is printed opens it once: its token is exchanged for a cookie. The private data are read
    by a process of their own, which shows them to nobody but the frame marked PRIVATE. Ctrl-C ends
    all processes. Needs the extra `web`.

    Example: privopt open job.toml
    """
    from privopt.extra import library

    library("starlette", "web")
    library("uvicorn", "web")
    from privopt.web.serving import opened

    console = chatter()
    for one in ("SIGTERM", "SIGHUP"):  # ended in any of these ways, nothing is left behind
        if hasattr(signal, one):
            signal.signal(getattr(signal, one), _end)
    with opened(job, port) as bench:
        address = bench.address
        console.print(f"Workbench: [bold]{escape(address)}[/]", soft_wrap=True)
        console.print("[dim]The address opens it once. Ctrl-C stops it.[/]")
        if not no_browser:
            import webbrowser

            webbrowser.open(bench.door())
        bench.serve()
