"""Compare or record the golden answers: see the package."""

from __future__ import annotations

import json
import sys
import time

from tests.golden.answer import differences
from tests.golden.jobs import ANSWERS, JOBS, answered


def main(words: list[str]) -> int:
    """Returns 1 if anything differs by more than 1e-9."""
    record = "--record" in words
    wanted = [word for word in words if not word.startswith("-")]
    worst = 0.0
    for name in JOBS:
        if wanted and not any(word in name for word in wanted):
            continue
        start = time.perf_counter()
        answer = answered(name)
        took = time.perf_counter() - start
        path = ANSWERS / f"{name}.json"
        if record:
            path.write_text(json.dumps(answer, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            print(f"{name:24s}{took:7.1f} s  {path.stat().st_size:7d} bytes")  # noqa: T201
            continue
        found = list(differences(json.loads(path.read_text(encoding="utf-8")), answer))
        largest = max((off for *_, off in found), default=0.0)
        worst = max(worst, largest)
        print(f"{name:24s}{took:7.1f} s  {len(found):4d} differ, by {largest:.1e} at most")  # noqa: T201
        for where, was, now, off in sorted(found, key=lambda one: -one[3])[:8]:
            print(f"    {where}: {was} -> {now} ({off:.1e})")  # noqa: T201
    return int(worst > 1e-9)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
