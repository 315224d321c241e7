"""`python -m tests.differential plans|decisions START COUNT`: run and report."""

from __future__ import annotations

import sys

from tests.differential.runner import report, run, work

*worker, task, start, count = sys.argv[1:]
if worker:
    work(task, int(start), int(count))
else:
    sys.stdout.write(report(list(run(int(start), int(count), task))) + "\n")
