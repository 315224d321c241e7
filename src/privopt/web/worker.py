"""The worker: one design in a process of its own, which the next change ends.

    stdin     one line of JSON: {"form": {...}, "folder": path, "choose": false}; then a life line
    stdout    lines of JSON: {"stage", "done", "total", "part"}, at last {"end": ...}

It ends when its stdin is closed: whoever started it is gone. It is given public data alone.

    python -m privopt.web.worker
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from privopt.errors import PrivoptError
from privopt.web.forms import filled
from privopt.web.life import end_with_stdin, first_line
from privopt.web.problems import UNEXPECTED, Problem, ProblemError
from privopt.web.programs import Programs
from privopt.web.stages import Tell, run

__all__ = ["main"]


def main() -> None:
    """Run the design that the first line asks for; what it takes is imported before."""
    line = first_line()
    end_with_stdin()
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer

    def say(message: dict[str, Any]) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    def tell(stage: str, done: int, total: int, part: dict[str, Any]) -> None:
        say({"stage": stage, "done": done, "total": total, "part": part})

    try:
        asked: dict[str, Any] = json.loads(line)
        _run(asked, tell)
        say({"end": "done", "error": None})
    except ProblemError as error:
        say({"end": "failed", "error": error.problem.to_dict()})
    except PrivoptError as error:
        say({"end": "failed", "error": Problem.of(error).to_dict()})
    except Exception:  # whatever it is, the page must say that it failed
        say({"end": "failed", "error": UNEXPECTED.to_dict()})


def _run(asked: dict[str, Any], tell: Tell) -> None:
    programs = Programs(Path(asked["folder"]), placed=False)
    found = filled(asked["form"], programs.source_of)
    if found.job is None:
        raise ProblemError(422, found.problems[0])
    run(found.job, programs.drawn_of(found.tree["program"]), tell, choose=asked["choose"])


if __name__ == "__main__":
    main()
