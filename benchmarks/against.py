"""Our version against another commit, job by job, in one run.

    python -m benchmarks.against c521bda
    python -m benchmarks.against c521bda --runs 15 --jobs 57_ieee

Each version lives in a process of its own that does a job when asked to; the two are asked in turn,
so a machine that is slow for a while is slow for both. For every job: the median seconds of both,
and the ratio (this version to the other; below 1 is faster) as the median over pairs of runs with
the interval that holds the true median with at least 95% confidence (order statistics: no
assumption about how busy the machine is).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from scipy.stats import binom

ROOT = Path(__file__).parents[1]
SPENT = 60.0  # seconds of one job after which no other pair is begun


def jobs() -> dict[str, Callable[[], Any]]:
    """What is timed, by name; only what both versions know."""
    import privopt as po

    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    kinds: dict[str, Any] = {
        "unimodal": po.Analytic(eta=0.025, margin="unimodal"),
        "exact": po.Analytic(eta=0.05),
        "exact box": po.ExactBox(eta=0.1),
        "sampled box": po.SampledBox(eta=0.1, beta=0.01),
        "joint": po.Joint(eta=0.05, beta=0.01),
    }
    small, large = ("14_ieee", "39_epri", "57_ieee", "118_ieee"), ("1354_pegase", "2869_pegase")

    def plan(network: str, kind: str) -> Callable[[], Any]:
        def run() -> Any:  # noqa: ANN401
            one = po.experiments.instance(network, 0)
            return lambda: po.solve(one.program, one.query, noise, kinds[kind], rng=1)

        return run

    def releases() -> Any:  # noqa: ANN401
        one = po.experiments.instance("14_ieee", 0)
        kind = kinds["unimodal"]
        plan = po.solve(one.program, one.query, noise, kind, rng=1)
        return lambda: [plan.release() for _ in range(500)]

    named: dict[str, Callable[[], Any]] = {}
    for kind in kinds:
        named |= {f"plan {name}, {kind}": plan(name, kind) for name in small}
    named |= {f"plan {name}, unimodal": plan(name, "unimodal") for name in large}
    return named | {"500 releases, 14_ieee": releases}


def serve() -> None:
    """Do the jobs whose names arrive, one a line, and answer with the seconds of each."""
    known = jobs()
    for line in sys.stdin:
        work = known[line.strip()]()  # what is prepared beforehand is not timed
        started = time.perf_counter()
        work()
        print(time.perf_counter() - started, flush=True)


class Version:
    """A version of privopt in a process of its own."""

    def __init__(self, source: Path) -> None:
        path = os.pathsep.join((str(source), str(ROOT)))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.against", "--serve"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
            env=os.environ | {"PYTHONPATH": path},
        )  # fmt: skip

    def seconds(self, job: str) -> float:
        """How long a job takes there."""
        stdin, stdout = self.process.stdin, self.process.stdout
        if stdin is None or stdout is None:
            raise SystemExit("the process has no streams")
        stdin.write(job + "\n")
        stdin.flush()
        answer = stdout.readline()
        if not answer:
            raise SystemExit(f"{job}: the process that ran it ended without an answer")
        return float(answer)


@contextmanager
def checkout(commit: str) -> Generator[Path]:
    """The files of a commit, for as long as they are needed."""
    with tempfile.TemporaryDirectory() as folder:
        packed = Path(folder) / "source.tar"
        git = shutil.which("git") or "git"
        subprocess.run([git, "archive", "-o", packed, commit, "src"], cwd=ROOT, check=True)  # noqa: S603
        shutil.unpack_archive(packed, folder, filter="data")
        yield Path(folder) / "src"


def interval(values: list[float]) -> tuple[float, float]:
    """Order statistics around the median: it lies between them with 95% confidence or more."""
    ordered, count = sorted(values), len(values)
    rank = int(binom.ppf(0.025, count, 0.5))  # P(fewer than rank lie below the median) <= 2.5%
    return (ordered[rank - 1], ordered[count - rank]) if rank else (float("nan"), float("nan"))


def compare(commit: str, runs: int, wanted: str) -> None:
    """Both versions in turn, a line for each job."""
    print(f"{'':<32} {commit[:10]:>10} {'this':>9} {'ratio':>7}   95% interval")
    with checkout(commit) as source:
        versions = Version(source), Version(ROOT / "src")
        for job in (name for name in jobs() if wanted in name):
            for version in versions:
                version.seconds(job)  # the first run loads modules and files
            pairs: list[tuple[float, float]] = []
            while len(pairs) < runs and (
                len(pairs) < 6 or sum(map(sum, pairs)) < SPENT  # six: the fewest with an interval
            ):
                first, second = versions if len(pairs) % 2 else versions[::-1]
                one, other = first.seconds(job), second.seconds(job)
                pairs.append((one, other) if first is versions[0] else (other, one))
            ratios = [new / old for old, new in pairs]
            low, high = interval(ratios)
            old, new = (median(times) for times in zip(*pairs, strict=True))
            seconds = f"{old:>10.4f} {new:>9.4f} {median(ratios):>7.2f}"
            print(f"{job:<32} {seconds}   {low:.2f} to {high:.2f}", flush=True)


def main() -> None:
    """Parse, and compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("commit", nargs="?", help="the version to compare with")
    parser.add_argument("--runs", type=int, default=11, help="pairs of runs for each job")
    parser.add_argument("--jobs", default="", help="only the jobs whose name holds this")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
    elif given.commit:
        compare(given.commit, given.runs, given.jobs)
    else:
        parser.error("which commit?")


if __name__ == "__main__":
    main()
