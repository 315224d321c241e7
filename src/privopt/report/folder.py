"""The folder of an experiment: which files are there, read and checked."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from privopt.errors import InputError
from privopt.report.proofs import Proof, Proofs
from privopt.report.records import CurvePoint, Edge, Node, Run, TableRow, Timing

__all__ = ["Curves", "Drawing", "Folder", "ResultTable", "Work", "read"]

# What can come of a file that no experiment wrote; KeyError is told apart.
_STRANGE = (OSError, ValueError, TypeError, AttributeError, ArithmeticError, RecursionError)
Record = TypeVar("Record")
Reader = Callable[[dict[str, Any]], Record]


@dataclass(frozen=True)
class ResultTable:
    """A reproduced table: its rows, its settings, and the single runs where they were kept."""

    rows: tuple[TableRow, ...]
    settings: dict[str, Any]
    runs: tuple[Run, ...]

    @property
    def cases(self) -> tuple[str, ...]:
        """The networks (and sums), in the order of the file."""
        return tuple(dict.fromkeys(row.case for row in self.rows))

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms, in the order of the file."""
        return tuple(dict.fromkeys(row.algorithm for row in self.rows))

    def of(self, case: str) -> tuple[TableRow, ...]:
        """The rows of one case."""
        return tuple(row for row in self.rows if row.case == case)

    @property
    def eta(self) -> float | None:
        """The violation that is allowed, in percent."""
        eta = self.settings.get("eta")
        return 100 * eta if isinstance(eta, (int, float)) else None


@dataclass(frozen=True)
class Curves:
    """The points of Figure 2."""

    points: tuple[CurvePoint, ...]
    settings: dict[str, Any]

    def solved(self, network: str) -> bool:
        """Whether some run on a network had a plan."""
        return any(p.loss is not None for p in self.points if p.network == network)


@dataclass(frozen=True)
class Drawing:
    """One network under one plan."""

    network: str
    algorithm: str
    run: int
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True)
class Work:
    """The time that an experiment took."""

    name: str
    tasks: int
    seconds: float
    rows: tuple[Timing, ...]


@dataclass(frozen=True)
class Folder:
    """All that was found."""

    table1: ResultTable | None
    table2: ResultTable | None
    figure2: Curves | None
    privacy: Proofs | None
    drawing: Drawing | None
    work: tuple[Work, ...]

    def seconds(self, experiment: str, network: str, algorithm: str) -> float | None:
        """Mean seconds of an algorithm on a network in an experiment."""
        rows = (row for work in self.work if work.name == experiment for row in work.rows)
        found = (row.mean for row in rows if (row.network, row.algorithm) == (network, algorithm))
        return next(found, None)


def read(folder: Path) -> Folder:
    """Read what there is; at least one experiment must be."""
    table1, table2 = (_table(folder, name) for name in ("table1", "table2"))
    figure2 = _parse(folder / "figure2.json", _rows(Curves, CurvePoint.read))
    privacy = _parse(folder / "privacy.json", _rows(Proofs, Proof.read))
    if not any((table1, table2, figure2, privacy)):
        raise InputError(
            f"{folder} holds no experiment."
            if folder.is_dir()
            else f"there is no folder {folder}.",
            "at least one of table1.json, table2.json, figure2.json, privacy.json.",
            "check the path, or run an experiment into it first.",
        )
    drawing = _parse(folder / "drawing.json", _drawing)
    work = _parse(folder / "timings.json", _work) or ()
    return Folder(table1, table2, figure2, privacy, drawing, work)


def _parse(path: Path, reader: Reader[Record]) -> Record | None:
    """The file as a record; None where there is no such file."""
    try:
        if not path.is_file():
            return None
        return reader(cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8"))))
    except KeyError as error:
        got = f"{path} has a record without {error}."
    except _STRANGE as error:
        got = f"{path} could not be read ({error!s:.200})."
    raise InputError(got, "the file as the experiment wrote it.", "run the experiment again.")


def _rows(kind: Callable[..., Record], read_row: Reader[Any]) -> Reader[Record]:
    """A reader of an experiment: its rows, each read alike, and its settings."""
    return lambda data: kind(tuple(map(read_row, data["rows"])), dict(data.get("settings") or {}))


def _table(folder: Path, name: str) -> ResultTable | None:
    table = partial(ResultTable, runs=_runs(folder / f"{name}.parquet"))
    return _parse(folder / f"{name}.json", _rows(table, TableRow.read))


def _runs(path: Path) -> tuple[Run, ...]:
    """The single runs; none where they were not kept."""
    import pandas as pd

    try:
        if not path.is_file():
            return ()
        table = pd.read_parquet(io.BytesIO(path.read_bytes()))  # pyarrow takes no odd names
        records = cast("list[dict[str, Any]]", table.to_dict("records"))
        return tuple(map(Run.read, records))
    except (OSError, ValueError, LookupError, TypeError, ArithmeticError, RuntimeError) as error:
        raise InputError(
            f"{path} could not be read ({error!s:.200}).",
            "the file as the experiment wrote it.",
            "run the experiment again, or remove the file: the page does without it.",
        ) from None


def _drawing(data: dict[str, Any]) -> Drawing:
    return Drawing(
        network=str(data["network"]),
        algorithm=str(data["algorithm"]),
        run=int(data["run"]),
        nodes=tuple(map(Node.read, data["nodes"])),
        edges=tuple(map(Edge.read, data["edges"])),
    )


def _work(data: dict[str, Any]) -> tuple[Work, ...]:
    return tuple(
        Work(
            name,
            int(part["tasks"]),
            float(part["seconds_of_work"]),
            tuple(map(Timing.read, part.get("rows") or ())),
        )
        for name, part in sorted(data.items())
    )
