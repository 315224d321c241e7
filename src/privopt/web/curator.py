"""The curator's process: the one that reads the data file, by its path.

    stdin     a line of JSON that starts it, then lines that ask for tokens; closed: it ends
    stdout    a line for each

It splits the job file that `privopt open` was given: the public part goes to the public process,
data and ledger stay here. Its page is shown in a frame of the screen Release.

    python -m privopt.web.curator
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

from privopt.app.texts import flags_of
from privopt.app.tree import Tree, from_toml, merged
from privopt.errors import PrivoptError
from privopt.web.asking import Fields, private_files
from privopt.web.forms import SECTIONS
from privopt.web.guard import Guard, Keys, policy
from privopt.web.hidden import hide
from privopt.web.private import curator_app
from privopt.web.problems import UNEXPECTED, Problem
from privopt.web.releasing import Curator
from privopt.web.serving import HOSTS, bound, run_server

__all__ = ["main", "split"]


def split(tree: Tree, folder: Path) -> tuple[dict[str, str], dict[str, Any] | None]:
    """The public form of a job, and its ledger; private data are in neither."""
    ledger = tree.get("ledger", {})
    if "path" not in ledger:
        return flags_of(tree, folder, SECTIONS), None
    named = {
        "place": ledger["path"].path,
        "limit": ledger.get("limit"),
        "delta": ledger.get("delta"),
        "dataset": ledger.get("dataset"),
    }
    return flags_of(tree, folder, SECTIONS), named


def main() -> None:
    """Start as the first line says, and answer until stdin is closed."""
    os.umask(0o077)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer

    def say(message: dict[str, Any]) -> None:
        out.write(json.dumps(message) + "\n")
        out.flush()

    asked: dict[str, Any] = json.loads(sys.stdin.readline() or "{}")
    if not asked:
        return
    folder = Path(asked["folder"])
    try:
        tree = {} if asked["job"] is None else merged(from_toml(asked["job"]), {})
        form, ledger = split(tree, folder)
        hide(folder, private_files(tree))
    except PrivoptError as error:
        say({"error": Problem.of(error).to_dict()})
        return
    except Exception:  # its text may hold private values
        say({"error": UNEXPECTED.to_dict()})
        return
    with bound(asked.get("port", 0)) as listening:
        port = listening.getsockname()[1]
        keys = Keys(f"privopt_curator_{port}")
        app = curator_app(Curator(folder, Fields(folder, tree, asked["job"], Path(asked["home"]))))
        hosts = [f"{host}:{port}" for host in HOSTS]
        guarded = Guard(app, keys, hosts, policy(ancestors=" ".join(asked["origins"])))
        say({"port": port, "form": form, "ledger": ledger})

        def listen() -> None:
            for _ in sys.stdin:  # every line asks for a token
                say({"token": keys.token()})
            os._exit(0)  # whoever started this is gone

        threading.Thread(target=listen, daemon=True).start()
        run_server(guarded, listening)


if __name__ == "__main__":
    main()
