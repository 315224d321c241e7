"""What a file is, by its first bytes: so that a wrong one is named, with the command that takes it.

A hint for messages, and nothing else: nothing is decided by it.
"""

from __future__ import annotations

import re
from pathlib import Path

from privopt.files import is_database

__all__ = ["kind_of", "use_of"]

_FIRST = 4096  # bytes in which a file says what it is
_HEAD = re.compile(rb'"privopt"\s*:\s*"(release|policy|program|instrument|measurement|decision)"')
_CASE = re.compile(rb"^\s*function\s+mpc\s*=", re.MULTILINE)
_USES = {
    "ledger": "look at it with: privopt ledger show {path}",
    "release": "make a page of it with: privopt report {path}, or check it with: privopt verify "
    "--release {path}",
    "policy": "release by it with: privopt release --policy {path}, or audit it with: privopt "
    "audit --policy {path} --data a.csv --neighbour b.csv",
    "instrument": "measure with it: privopt measure job.toml --measure {path} --data d.csv",
    "measurement": "decide from it with: privopt decide job.toml --measurement {path}",
    "decision": "check it with: privopt decide --check {path}, or make a page of it with: privopt "
    "report {path}",
    "program": "start a job from it with: privopt init --program {path}",
    "case": "start a job from it with: privopt init --case {path}",
    "job": "design by it with: privopt design {path}",
}


def kind_of(path: str | Path) -> str | None:
    """A ledger, job, case, or a file that privopt wrote; None of anything else."""
    where = Path(path)
    try:
        if not where.is_file():
            return None
        if where.suffix == ".toml":
            return "job"
        if is_database(where.resolve()):
            return "ledger"
        with where.open("rb") as file:
            first = file.read(_FIRST)
    except (OSError, ValueError, RuntimeError):
        return None
    said = _HEAD.search(first)
    if said is not None and first.lstrip()[:1] == b"{":
        return said[1].decode()
    return "case" if _CASE.search(first) else None


def use_of(path: str | Path) -> tuple[str, str] | None:
    """What a file is, in words, and what to do with it; None where that is not known."""
    kind = kind_of(path)
    if kind is None:
        return None
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}", _USES[kind].format(path=path)
