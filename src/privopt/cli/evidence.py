"""`privopt evidence`: one folder for a regulator, in which everything can be checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from privopt.cli.output import check_renders
from privopt.cli.streams import JSON, as_given, chatter, escape, print_json, results

__all__ = ["evidence"]


def evidence(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="Releases, measurements, decisions and instruments of the ledger.",
        ),
    ],
    ledger: Annotated[
        Path, typer.Option(metavar="LEDGER", help="The ledger that counted them; only read.")
    ],
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Folder to make; nothing may be there.")
    ],
    as_json: JSON = False,
) -> None:
    """Write evidence for a regulator: a page, the files, the ledger without keys, and a check.

    recompute.py in the folder needs Python and nothing of privopt: it recomputes chain, sums,
    limit, sensitivity and epsilon from the files. It is run here, too; exit code 1 if something
    fails. No private data are read, and nothing private is written.

    Example: privopt evidence *.json --ledger d.ledger --out evidence
    """
    from privopt.report.evidence.making import make_evidence

    errors = chatter()
    check_renders(out)
    with as_given(ledger), errors.status("reading") as status:
        made = make_evidence(ledger, files, out, progress=status.update)
    if as_json:
        print_json({
            "folder": str(made.folder),
            "files": made.files,
            "sound": made.sound,
            "recomputed": [{"result": word, "what": what} for word, what in made.recomputed],
        })  # fmt: skip
    else:
        console = results()
        colours = {"FAIL": "bold red", "NOTE": "yellow"}
        for word, what in made.recomputed:
            if word != "PASS":
                console.print(f"[{colours.get(word, '')}]{word}[/]  {escape(what)}", soft_wrap=True)
        passed = sum(word == "PASS" for word, _ in made.recomputed)
        console.print(f"Recomputed without privopt: {passed} checks passed.")
        console.print(f"Evidence: [bold]{escape(str(made.folder))}[/], {made.files} files",
                      soft_wrap=True)  # fmt: skip
    if not made.sound:
        raise typer.Exit(1)
