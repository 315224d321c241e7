"""Reports: pages that work offline.

`write(folder)` reads what an experiment left there and sets it beside the numbers the paper
printed. A page holds its own styles, script and pictures; nothing is fetched when it is opened.
"""

from __future__ import annotations

from privopt.report.page import write

__all__ = ["write"]
