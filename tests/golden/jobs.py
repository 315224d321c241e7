"""All golden jobs by name, and how one is run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.golden import commands, decisions, plans
from tests.golden.answer import Answer
from tests.golden.seam import repeatable

ANSWERS = Path(__file__).parent / "answers"
JOBS: dict[str, Callable[[], Answer]] = {**plans.JOBS, **decisions.JOBS, **commands.JOBS}


def answered(name: str) -> dict[str, Any]:
    """What the job answers now, as JSON has it."""
    with repeatable(seed=1):
        return json.loads(json.dumps(JOBS[name]().to_dict()))
