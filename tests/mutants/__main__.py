"""Plant each bug in a copy of the source, run its test, and say whether it was caught.

    python -m tests.mutants [words of a name ...]

Exit code 1 if a bug lives, or if a test fails without one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table
from tests.mutants.mutant import Mutant
from tests.mutants.planted import PLANTED

ROOT = Path(__file__).parents[2]
CAUGHT = 1  # pytest: tests ran, and some failed


def source_of(mutant: Mutant) -> str:
    """The file with the bug in it."""
    text = (ROOT / "src/privopt" / mutant.file).read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        raise LookupError(f"{mutant.file} has {text.count(mutant.old)} places for: {mutant.name}")
    return text.replace(mutant.old, mutant.new)


def run(mutant: Mutant) -> tuple[int, str]:
    """Exit code of pytest with a bug in the source, and the last line of what it said."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy = Path(folder) / "privopt"
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "src/privopt", copy, ignore=ignored)
        (copy / mutant.file).write_text(source_of(mutant), encoding="utf-8")
        code, lines = pytest(folder, "-x", mutant.test)
    failures = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return code, (failures or lines or [""])[-1]


def pytest(source: str | Path, *words: str) -> tuple[int, list[str]]:
    """Exit code and what it said, with privopt from the given folder."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": str(source)}, capture_output=True, text=True,
        timeout=1800, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout.splitlines()


def main() -> int:
    """Run them all, two at a time."""
    words = sys.argv[1:]
    chosen = [m for m in PLANTED if all(word in m.name for word in words)]
    tests = sorted({mutant.test for mutant in chosen})
    console = Console(highlight=False, width=160)
    console.print(f"{len(tests)} tests without a bug, together ...")
    code, lines = pytest(ROOT / "src", "-n", "2", *tests)
    if code:
        console.print("\n".join(["Tests fail without a bug:", *lines[-20:]]), markup=False)
        return 1
    with ThreadPoolExecutor(2) as pool:
        bugs = track(pool.map(run, chosen), f"{len(chosen)} bugs", len(chosen), console=console)
        found = list(bugs)
    table = Table("", "bug", "file", "caught by")
    failed = 0
    for mutant, (code, line) in zip(chosen, found, strict=True):
        killer = line.removeprefix("FAILED ").split(" - ")[0]
        good = code == CAUGHT
        failed += not good
        table.add_row(
            "[green]caught[/]" if good else "[red]LIVES[/]",
            mutant.name, mutant.file, killer if good else f"{mutant.test}: {line}",
        )  # fmt: skip
    console.print(table)
    console.print(f"{len(chosen) - failed} of {len(chosen)} caught.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
