"""`python -m tests.differential plans|designs START COUNT`: run and report."""

from __future__ import annotations

import sys

from tests.differential.runner import report, run, work

if sys.argv[1] == "work":
    work(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    found = run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write(report(list(found)) + "\n")
