"""The public part of a case file: its program without loads, and what is drawn of it.

    python -m privopt.web.casing < {"entries": {...}, "program": path, "drawn": path}

The loads of a case file of one's own are private. This process reads the file, writes what is
public into the session's folder, says what was wrong (null: nothing) and ends: the workbench's
public process never has the loads.
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
from privopt.web.problems import UNEXPECTED, Problem

__all__ = ["main", "public_part"]


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


def main() -> None:
    """Do what stdin asks for."""
    try:
        asked: dict[str, Any] = json.load(sys.stdin)
        public_part(asked["entries"], Path(asked["program"]), Path(asked["drawn"]))
        said = None
    except PrivoptError as error:
        said = Problem.of(error).to_dict()
    except Exception:  # its text may quote the loads
        said = UNEXPECTED.to_dict()
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    main()
