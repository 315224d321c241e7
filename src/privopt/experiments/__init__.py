"""Experiments: the paper's tables, and whether its privacy holds.

>>> import privopt as po
>>> drawn = po.experiments.instance("3_lmbd", 0)
>>> plan = po.solve(
...     drawn.program, drawn.query, po.Laplace(epsilon=1, alpha=0.1), po.Analytic(eta=0.025)
... )

`run(Table1(runs=10), Path("results"), jobs=2)` makes a table; so does the command
`privopt experiment table1 --runs 10 --jobs 2 --out results`, with a page to look at.
"""

from __future__ import annotations

from privopt.experiments.figure2 import Figure2
from privopt.experiments.instance import Instance, instance
from privopt.experiments.privacy import PrivacyTable
from privopt.experiments.runner import Results, run
from privopt.experiments.table1 import Table1
from privopt.experiments.table2 import Table2

__all__ = [
    "Figure2",
    "Instance",
    "PrivacyTable",
    "Results",
    "Table1",
    "Table2",
    "instance",
    "run",
]
