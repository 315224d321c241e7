"""The public part of a case file: its program without loads, and what is drawn of it.

    stdin     one line of JSON: {"entries": {...}, "program": path, "drawn": path}; a life line
    stdout    what was wrong, as JSON; null: nothing

The loads of a case file of one's own are private. This process reads the file, writes what is
public into the session's folder, says what was wrong (null: nothing) and ends: the workbench's
public process never has the loads. It ends with whoever asked it, too: when its stdin is closed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from privopt.app.source import source_of
from privopt.errors import PrivoptError
from privopt.files import write_whole
from privopt.model.program_file import PublicProgram
from privopt.networks import load
from privopt.web.drawn import network_drawn
from privopt.web.life import end_with_stdin, first_line
from privopt.web.problems import UNEXPECTED, Problem

__all__ = ["answer", "main", "public_part"]


def public_part(entries: dict[str, Any], program: Path, drawn: Path) -> None:
    """Write the program of a case without its private loads, and what is drawn of it."""
    source = source_of(entries)
    known = source.public
    data: dict[str, float] = {}
    if known is not None:
        private = set(source.program.private.tolist())
        names = source.program.data_names
        data = {name: float(known[k]) for k, name in enumerate(names) if k not in private}
    PublicProgram(source.program, data).save(program)
    picture = network_drawn(load(Path(entries["case"])))
    write_whole(drawn, json.dumps(picture.to_dict()).encode())


def answer(line: bytes) -> dict[str, str | None] | None:
    """Do what a line asks for; what was wrong, or None."""
    try:
        asked: dict[str, Any] = json.loads(line)
        public_part(asked["entries"], Path(asked["program"]), Path(asked["drawn"]))
    except PrivoptError as error:
        return Problem.of(error).to_dict()
    except Exception:  # its text may quote the loads
        return UNEXPECTED.to_dict()
    return None


def main() -> None:
    """Do what the first line of stdin asks for."""
    line = first_line()
    end_with_stdin()
    sys.stdout.write(json.dumps(answer(line)))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
