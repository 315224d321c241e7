"""Seeds in processes of their own, so that one that dies is seen and the others go on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

from tests.differential.compare import Verdict, compare
from tests.differential.decided import decided

TASKS = {"plans": compare, "decisions": lambda seed: [decided(seed)]}
PERTURB = {"MALLOC_PERTURB_": "165"}  # what was freed, or never written, is read as rubbish


def run(start: int, count: int, task: str = "plans") -> Iterator[Verdict]:
    """The verdicts of some seeds; "crash" for one at which the process died."""
    at, end = start, start + count
    while at < end:
        command = [sys.executable, "-m", "tests.differential", "work", task, str(at), str(end - at)]
        env = os.environ | PERTURB | {"OMP_NUM_THREADS": "1"}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as worker:
            for line in worker.stdout or ():
                given = json.loads(line)
                at = given["seed"] + 1
                for one in given["verdicts"]:
                    one |= {name: tuple(one[name]) for name in ("kinds", "slacks")}
                    yield Verdict(**one)
        if at < end and worker.returncode:
            yield Verdict(task, at, "crash", float("nan"), (), f"{worker.returncode}")
            at += 1


def work(task: str, start: int, count: int) -> None:
    """One process: a line for each seed, on a standard output that nothing else writes to."""
    own = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for seed in range(start, start + count):
        found = [asdict(one) for one in TASKS[task](seed)]
        own.write(json.dumps({"seed": seed, "verdicts": found}) + "\n")
        own.flush()


def report(verdicts: list[Verdict]) -> str:
    """How they ended, by task and by kind, and every one that is not right."""
    lines: list[str] = []
    for task in sorted({one.task for one in verdicts}):
        mine = [one for one in verdicts if one.task == task]
        ends = Counter(one.end for one in mine)
        worst = max((abs(one.error) for one in mine if one.end == "agree"), default=0.0)
        lines.append(f"{task}: {len(mine)}  {dict(ends)}  worst that agrees {worst:.1e}")
        for kind in sorted({kind for one in mine for kind in one.kinds}):
            ends = Counter(one.end for one in mine if kind in one.kinds)
            lines.append(f"    {kind:22}{dict(ends)}")
    lines += [
        f"{one.task} {one.seed} {one.end} {one.error:.2e} {', '.join(one.kinds)} {one.detail[:90]}"
        for one in verdicts
        if one.end != "agree"
    ]
    return "\n".join(lines)
