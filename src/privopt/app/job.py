"""A job: everything that a command is about, as objects of the library.

    job = read_job("job.toml")                 or   read_job(flags={"network": "14_ieee", ...})

A file and the flags that say the same give equal objects. Private data are not read before a plan
or a release needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from privopt.adapters.table_data import TableData
from privopt.app import parts
from privopt.app.data import Data
from privopt.app.options import made
from privopt.app.outputs import Output
from privopt.app.source import Source, source_of
from privopt.app.tree import (
    Tree,
    check_domain_is_public,
    from_flags,
    from_toml,
    inputs_of,
    merged,
)  # fmt: skip
from privopt.arrays import Vector
from privopt.errors import InputError
from privopt.feasibility import Feasibility
from privopt.ledger import Budget, Ledger
from privopt.ledger.anchor import Anchor
from privopt.ledger.stores.registry import exists
from privopt.mechanisms.fidelity import Within
from privopt.mechanisms.repeat import Repeat
from privopt.model.domain import Box
from privopt.model.objective import Objective
from privopt.model.program import ConvexProgram
from privopt.model.query import Query
from privopt.noise.calibration import Privacy
from privopt.solving.solver import Settings

__all__ = ["Job", "job_of", "needed", "read_job"]

T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class Job:
    """What is to be done; None where the job does not say.

    Attributes
    ----------
    source, data
        The program, and where its private data are.
    query, privacy, feasibility, objective, repeat
        As `solve` takes them.
    domain
        Where the private entries can lie.
    fidelity, balance
        As `decide` takes them.
    mechanism, measure, fallback
        What makes the release ("measured" or "plan"; the first where there is a domain, unless it
        is said), the sums that are measured, and what is released where a measurement leaves no
        decision.
    settings, seed
        How to solve, and the seed of reformulations that sample.
    ledger, limit, dataset, key
        The ledger's path, the limit to open it with, its dataset, and the key of the release.
    releaser, anchor
        Who releases and what for, and where the head of the ledger is kept.
    outputs
        The files to write, by entry; `out` says which is a command's.
    inputs
        Files that the job reads or names, the job file too: nothing may be written there.
    """

    source: Source | None
    data: Data | None
    query: Query | None
    privacy: Privacy | None
    feasibility: Feasibility | None
    objective: Objective
    repeat: Repeat | None
    domain: Box | None
    fidelity: float | Within
    balance: list[str | int] | None
    settings: Settings
    seed: int | None
    ledger: str | None
    limit: Budget | None
    dataset: str | None
    key: str | None
    outputs: dict[str, Output]
    inputs: tuple[str, ...] = field(default=(), compare=False)
    ledger_place: Output | None = field(default=None, compare=False)
    releaser: str | None = None
    anchor: Output | None = None
    mechanism: str | None = None
    measure: Any = None
    fallback: Any = None

    def __repr__(self) -> str:
        return f"Job({self.source!r}, {self.privacy!r}, {self.feasibility!r})"

    def made_by(self, *, plan: bool = False) -> str:
        """What makes the release: "measured" or "plan"."""
        if plan:
            return "plan"
        return self.mechanism or ("plan" if self.domain is None else "measured")

    def out(self, result: str) -> str | None:
        """Where a result, such as a "release", is written: by flag, or as the file says.

        A job file that leads out of its folder is refused.
        """
        path = self.outputs.get("path")
        flag = path is not None and path.folder is None
        own = None if flag else self.outputs.get(result)
        chosen = own or path
        if chosen is None:
            return None
        chosen.check(f"[output] {result if own else 'path'}", "out")
        return chosen.path

    def out_beside(self, result: str, main: str | None) -> str | None:
        """Where a result is written beside the one that a command is called after.

        As the file says; else beside it, by its name: release.decision.json beside release.json.
        None where the main one is not written.
        """
        path = self.outputs.get("path")
        own = None if path is not None and path.folder is None else self.outputs.get(result)
        if own is not None:
            own.check(f"[output] {result}", "out")
            return own.path
        return None if main is None else f"{main.removesuffix('.json')}.{result}.json"

    def kept(self, result: str, main: str | None) -> str | None:
        """The same of what is taken from there if it is there: --out does not move it."""
        own = self.outputs.get(result)
        if own is None:
            return self.out_beside(result, main)
        own.check(f"[output] {result}", "out")
        return own.path

    def d(self, names: tuple[str, ...]) -> Vector:
        """The private data, by the names of the program's entries of d."""
        return self.read(names).d

    def read(self, names: tuple[str, ...]) -> TableData:
        """The private data, and of a table what its rows were like."""
        source = self.source
        if self.data is not None:
            program = None if source is None else source.program
            beside = None if source is None else source.beside
            return self.data.read(names, program, beside, self._zeros(program))
        return TableData(self._own(names), None)

    def _zeros(self, program: ConvexProgram | None) -> tuple[str, ...]:
        """Private entries whose public domain is zero alone: whatever is read is clamped to it."""
        if program is None or self.domain is None:
            return ()
        names = program.private_names
        ends = zip(names, *self.domain.ends(names), strict=True)
        return tuple(name for name, lower, upper in ends if lower == upper == 0)

    @property
    def of_private_data(self) -> bool:
        """Whether the data are someone's, and not those of a PGLib network."""
        source = self.source
        return self.data is not None or source is None or source.loads is None

    def _own(self, names: tuple[str, ...]) -> Vector:
        source = self.source
        own = None if source is None or source.program.data_names != names else source.own
        if own is None:
            raise InputError(
                "the job has no data.",
                "the private data d: [data] with file or values.",
                "write --data loads.csv, with a line name,value for each entry of d.",
            )
        return own

    def check_ledger(self) -> None:
        """Refuse a key without a ledger, and a ledger that is not there without a limit."""
        if self.ledger is None:
            if self.key is not None:
                raise InputError(
                    "a key was given without a ledger.",
                    "a ledger, which remembers what was released under the key.",
                    "write --ledger FILE, or leave the key out.",
                )
            return
        there = exists(self.ledger)
        if self.ledger_place is not None and not there:
            self.ledger_place.check("[ledger] path", "ledger", result=False)
        if self.anchor is not None and Anchor(self.anchor.path).look() is None:
            self.anchor.check("[ledger] anchor", "anchor", result=False)
        if self.limit is None and not there:
            raise InputError(
                f"there is no ledger at {self.ledger}.",
                "a ledger, or a limit with which to make one.",
                "name its place, if it was moved; a new one is made with --limit 1.0, or: privopt "
                f"ledger create {self.ledger} 1.0",
            )

    def open_ledger(self) -> Ledger | None:
        """The ledger, made if it is not there and a limit is given; None if the job has none."""
        self.check_ledger()
        if self.ledger is None:
            return None
        return self.ledger_at(self.ledger)

    def ledger_at(self, place: str, *, read_only: bool = False) -> Ledger:
        """The ledger at a place, opened as the job says."""
        return Ledger(
            place,
            self.limit,
            dataset=self.dataset,
            releaser=self.releaser,
            anchor=None if self.anchor is None else self.anchor.path,
            read_only=read_only,
        )


def read_job(
    file: str | Path | None = None,
    flags: Mapping[str, str] | None = None,
    *,
    data_are_public: bool = False,
) -> Job:
    """The job of a TOML file, of flags (by name, as texts), or of both; flags go before.

    If the data are public, the bounds of the domain may be read from their file. They are published
    with the measurement.
    """
    tree = merged({} if file is None else from_toml(file), from_flags(flags or {}))
    if not data_are_public:
        check_domain_is_public(tree)
    return job_of(tree, file)


def job_of(
    tree: Tree,
    file: str | Path | None = None,
    source: Source | None = None,
) -> Job:
    """Resolve checked entries to objects; the program too, unless its source is given."""
    data, design_, ledger = (tree.get(name, {}) for name in ("data", "design", "ledger"))
    if source is None and "program" in tree:
        source = source_of(tree["program"])
    domain = None
    if "domain" in tree:
        if source is None:
            raise InputError(
                "[domain] was given without a program.",
                "[program]: the domain is that of its private entries.",
                "name the program, or leave the domain out.",
            )
        domain = parts.domain_of(tree["domain"], source)
    place: Output | None = ledger.get("path")
    program = None if source is None else source.program
    names = None if program is None else program.private_names
    sites = parts.sites_of(tree, program)
    privacy = _part(partial(parts.privacy_of, names=names, program=program, sites=sites), tree,
                    "privacy")  # fmt: skip
    reading = parts.reading_of(data, privacy, sites, names)
    return Job(
        source=source,
        data=parts.data_of(data, reading),
        query=_part(parts.query_of, tree, "query"),
        privacy=privacy,
        feasibility=_part(partial(made, "feasibility"), tree, "feasibility"),
        objective=made("objective", tree.get("objective", {})),
        repeat=_part(partial(made, "repeat"), tree, "repeat"),
        domain=domain,
        fidelity=parts.fidelity_of(design_),
        balance=design_.get("balance"),
        settings=parts.settings_of(tree.get("settings", {})),
        seed=_seed(tree.get("settings", {})),
        ledger=None if place is None else place.path,
        limit=parts.limit_of(ledger),
        dataset=ledger.get("dataset"),
        key=ledger.get("key"),
        releaser=ledger.get("releaser"),
        anchor=ledger.get("anchor"),
        outputs=tree.get("output", {}),
        inputs=inputs_of(tree, file),
        ledger_place=place,
        mechanism=design_.get("mechanism"),
        measure=design_.get("measure"),
        fallback=design_.get("fallback"),
    )


def needed(part: T | None, section: str, example: str) -> T:
    """A part of a job that a command cannot do without."""
    if part is None:
        raise InputError(
            f"the job has no [{section}].", f"[{section}], or its flags.", f"add {example}."
        )
    return part


def _part(make: Any, tree: Tree, section: str) -> Any:  # noqa: ANN401 -- of the section's type
    return make(tree[section]) if section in tree else None


def _seed(entries: dict[str, Any]) -> int | None:
    seed = entries.get("seed")
    if seed is not None and seed < 0:
        raise InputError(f"[settings] seed is {seed}.", "a whole number from 0.", "use 0.")
    return seed
