"""`python -m tests.differential START COUNT`: run and report."""

from __future__ import annotations

import sys

from tests.differential.runner import report, run, work

*task, start, count = sys.argv[1:]
if task:
    work(int(start), int(count))
else:
    sys.stdout.write(report(list(run(int(start), int(count)))) + "\n")
