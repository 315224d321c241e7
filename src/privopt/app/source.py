"""The program of a job: a PGLib network, a case file, or a program file.

    network    its power flow; its loads are public test data, and are d unless data are given
    case       the power flow of a file of one's own; its loads are d, and private
    file       the public part of any program; d comes from the data

`Source.program` holds no d. What may be known of d without looking at private data is `public`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from privopt.arrays import Vector
from privopt.claims.units import unit_of
from privopt.errors import InputError
from privopt.model.domain import Box
from privopt.model.program import ConvexProgram
from privopt.model.program_file import PublicProgram, protecting
from privopt.networks import Network, load
from privopt.networks.locate import find
from privopt.networks.rebased import rebased

__all__ = ["Source", "listed_network", "source_of"]


@dataclass(frozen=True, eq=False, repr=False)
class Source:
    """A program, and what it brings along of d.

    Attributes
    ----------
    program
        Without d.
    public
        d with zeros at the private entries, where some entries are public; else None.
    own
        The whole d that a network or case brings along, private in a case; None of a program file.
    loads
        Of a PGLib network: its loads, public test data, entry by entry of d.
    other
        Of a network or case: what d has beside loads (shunts, phase shifters), which is public.
    """

    program: ConvexProgram
    public: Vector | None
    own: Vector | None = None
    loads: Vector | None = None
    title: str = ""
    other: Vector | None = None

    def __repr__(self) -> str:
        return f"Source({self.program!r})"

    @property
    def beside(self) -> Vector | None:
        """What d has beside the rows of a table: public entries, and what is no load."""
        if self.other is None:
            return self.public
        beside = np.array(self.other)
        if self.public is not None:
            public = np.setdiff1d(np.arange(len(beside)), self.program.private)
            beside[public] = self.public[public]
        return beside

    @property
    def designable(self) -> ConvexProgram:
        """The program as `decide` takes it: with the public entries of d, if there are some."""
        return self.program if self.public is None else self.program.at(self.public)

    def around(self, share: float) -> Box:
        """The domain within a share of the network's own loads."""
        if self.loads is None or self.own is None:
            raise InputError(
                "[domain] around was given for a program that is no PGLib network.",
                "lower and upper: around needs loads that are public, and these are not.",
                "write lower = ... and upper = ..., numbers or lists.",
            )
        if not 0 <= share <= 1:
            raise InputError(f"[domain] around is {share:g}.", "a share, 0 to 1.", "use 0.05.")
        middle, half = self.own, share * np.abs(self.loads)
        at = self.program.private
        return Box((middle - half)[at], (middle + half)[at])


def source_of(entries: dict[str, Any]) -> Source:
    """The program of the section [program]."""
    if "file" in entries:
        if "model" in entries:
            raise InputError(
                "[program] has model beside file.", "model of a network or case.", "leave it out."
            )
        return _in_unit(_from_file(entries["file"], entries.get("private")), entries)
    if "network" in entries:
        title = f"the PGLib network {entries['network']}"
        network = listed_network(entries["network"], "[program] network", "case = (or --case)")
        return _from_network(network, entries, title, public=True)
    if "case" in entries:
        title = f"the case file {entries['case']}"
        return _from_network(load(Path(entries["case"])), entries, title, public=False)
    raise InputError(
        "the job names no program.",
        "[program] with network, case or file.",
        "write --network 14_ieee, --case FILE.m or --program FILE.json.",
    )


def listed_network(name: str, title: str, instead: str) -> Network:
    """The PGLib network of a name; a path is refused, with the entry or flag that takes it."""
    if os.sep in name or name.endswith(".m"):
        raise InputError(
            f"{title} is {name!r:.80}.",
            "a PGLib name such as '14_ieee'.",
            f"name a file of your own with {instead}: its loads count as private.",
        )
    return load(find(name))


def _from_network(network: Network, entries: dict[str, Any], title: str, *, public: bool) -> Source:
    unit = entries.get("unit")
    whole = network.program(entries.get("model", "powermodels"), unit=unit)
    demand = (network if unit is None else rebased(network, unit)).buses.demand
    loads = np.zeros(len(whole.data_names))
    loads[: len(demand)] = demand
    program = protecting(whole, entries.get("private"))
    known = _public_entries(program, whole.d)
    return Source(program, known, whole.d, loads if public else None, title, whole.d - loads)


def _from_file(path: str, private: Any) -> Source:  # noqa: ANN401 -- names or positions
    read = PublicProgram.load(path)
    program = protecting(read.program, private)
    places = dict(zip(program.data_names, range(len(program.data_names)), strict=True))
    d = np.zeros(len(places))
    for name, value in read.data.items():
        d[places[name]] = value
    lacking = set(range(len(places))) - set(program.private.tolist())
    lacking -= {places[name] for name in read.data}
    if lacking:
        raise InputError(
            f"{path} has no value for {program.data_names[min(lacking)]!r}, which is not private.",
            "a value for every public entry of d in the program file.",
            "save the program with its d (private entries are left out), or make it private.",
        )
    return Source(program, _public_entries(program, d))


def _in_unit(source: Source, entries: dict[str, Any]) -> Source:
    """The program of a file in the unit that the job names: its own, or a label if it has none."""
    unit, own = entries.get("unit"), unit_of(source.program)
    if unit is None or unit == own:
        return source
    if own is not None:
        raise InputError(
            f"[program] unit is {unit!r:.40}, and the program file is in {own!r:.40}.",
            "the unit of the program file: nothing is converted.",
            "leave unit out, or save the program again in the other unit.",
        )
    return replace(source, program=source.program.in_unit(unit))


def _public_entries(program: ConvexProgram, d: Vector) -> Vector | None:
    """D with zeros at the private entries; None where all are private."""
    if len(program.private) == len(d):
        return None
    known = np.array(d)
    known[program.private] = 0.0
    return known
