"""The worker process: lines in, lines out; it ends when whoever started it is gone."""

from __future__ import annotations

import json
from pathlib import Path

from tests.web.workbench import FORM

from privopt.web.running import ended, started


def test_it_says_what_is_wrong_and_ends(tmp_path: Path) -> None:
    worker = started("privopt.web.worker")
    assert worker.stdin is not None
    assert worker.stdout is not None
    asked = {"form": {**FORM, "epsilon": "-1"}, "folder": str(tmp_path), "choose": False}
    worker.stdin.write(json.dumps(asked).encode() + b"\n")
    worker.stdin.flush()
    said = [json.loads(line) for line in worker.stdout]
    assert said[-1]["end"] == "failed"
    assert said[-1]["error"]["field"] == "epsilon"
    ended(worker)
    assert worker.returncode == 0


def test_it_ends_with_whoever_started_it() -> None:
    worker = started("privopt.web.worker")
    assert worker.stdin is not None
    worker.stdin.close()
    assert worker.wait(60) == 0
    ended(worker)
