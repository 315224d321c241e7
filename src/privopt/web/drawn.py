"""A program as the workbench draws it: nodes, lines, variables, private entries. All of it public.

    drawn = drawn_of(entries, program)            of a section [program]
    drawn.model(program, ...)                     what GET /api/model answers
    drawn.flows(program)                          flow of line i = sum over j of v z_j, as triplets

Positions lie in the unit square. Of a PGLib network the loads are public test data and are shown;
those of a case file of one's own are private, and are not even here (`casing`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privopt.app.source import Source, listed_network
from privopt.arrays import Vector
from privopt.digits import finite
from privopt.model.domain import Box
from privopt.model.program import ConvexProgram
from privopt.networks import Network
from privopt.networks.naming import line_names, unit_names
from privopt.noise.calibration import Privacy

__all__ = ["Diagram", "drawn_of", "flows", "model_of"]

_LARGE = 500  # variables up to which it is looked at what the equalities leave free
_FREE = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Diagram:
    """Nodes at (x, y), lines between them, and the node of each variable; none of a program."""

    nodes: tuple[str, ...] = ()
    x: tuple[float, ...] = ()
    y: tuple[float, ...] = ()
    lines: tuple[str, ...] = ()
    ends: tuple[tuple[str, str], ...] = ()
    backwards: tuple[str, ...] = ()
    at: dict[str, str] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return asdict(self)

    @classmethod
    def load(cls, path: Path) -> Diagram:
        """What `to_dict` gave, from a file."""
        data: dict[str, Any] = json.loads(path.read_bytes())
        lists = ("nodes", "x", "y", "lines", "backwards")
        ends = tuple((str(a), str(b)) for a, b in data["ends"])
        return cls(**{name: tuple(data[name]) for name in lists}, ends=ends, at=data["at"])


def drawn_of(entries: dict[str, Any], *, placed: bool = True) -> Diagram:
    """What is drawn of the network of a section [program]; of a program file, nothing."""
    if "network" not in entries:
        return Diagram()
    network = listed_network(entries["network"], "network", "a case file")
    return network_drawn(network, placed=placed)


def network_drawn(network: Network, *, placed: bool = True) -> Diagram:
    """What is drawn of a network; its loads are not. Places take time: without, all are at 0."""
    place = network.places if placed else np.zeros((len(network.buses), 2))
    numbers = [str(number) for number in network.buses.number.tolist()]
    lines, names = network.branches, line_names(network)
    at = {f"{kind}[{number}]": number for number in numbers for kind in ("theta", "v", "demand")}
    for unit, bus in zip(unit_names(network), network.generators.bus.tolist(), strict=True):
        at |= {f"{kind}[{unit}]": numbers[bus] for kind in ("p", "q", "cost")}
    return Diagram(
        tuple(numbers),
        tuple(round(float(value), 5) for value in place[:, 0]),
        tuple(round(float(value), 5) for value in place[:, 1]),
        tuple(f"flow[{name}]" for name, _ in names),
        tuple(
            (numbers[int(f)], numbers[int(t)])
            for f, t in zip(lines.source, lines.target, strict=True)
        ),
        tuple(f"flow[{name}]" for _, name in names),
        at,
    )


def flows(drawn: Diagram, program: ConvexProgram) -> dict[str, Any]:
    """Each line's flow as a row over z (triplets), and its limit; None where it has none."""
    column = {name: j for j, name in enumerate(program.names)}
    row = {name: i for i, name in enumerate(program.row_names)}
    A: Any = program.A
    found: dict[str, list[Any]] = {"i": [], "j": [], "v": []}
    limits: list[float | None] = []
    for k, (name, back) in enumerate(zip(drawn.lines, drawn.backwards, strict=True)):
        if name in column:
            j = column[name]
            here, values, limit = [j], [1.0], float(program.upper[j])
        elif name in row or back in row:
            sign, i = (1.0, row[name]) if name in row else (-1.0, row[back])
            first, last = int(A.indptr[i]), int(A.indptr[i + 1])
            here = [int(j) for j in A.indices[first:last]]
            values = [sign * float(v) for v in A.data[first:last]]
            limit = float(program.b[i])
        else:
            here, values, limit = [], [], np.inf
        found["i"] += [k] * len(here)
        found["j"] += here
        found["v"] += values
        limits.append(finite(limit))
    return {"names": list(drawn.lines), "rows": found, "limits": limits}


def model_of(
    source: Source, drawn: Diagram, domain: Box | None, privacy: Privacy | None
) -> dict[str, Any]:
    """What GET /api/model answers."""
    program, at = source.program, drawn.at or {}
    low, high = _ends(program, domain)
    private = [program.data_names[int(k)] for k in program.private]
    loads = source.loads
    known = {} if loads is None else dict(zip(program.data_names, _numbers(loads), strict=True))
    bounds = {name: (low[k], high[k]) for k, name in enumerate(private)}
    free = _publishable(program)
    labels = ("",) * program.n if program.units is None else program.units.each(program.n)
    variables = [
        {
            "name": name,
            "lower": finite(float(program.lower[j])),
            "upper": finite(float(program.upper[j])),
            "bus": at.get(name),
            "unit": labels[j] or None,
            "publishable": bool(free[j]),
        }
        for j, name in enumerate(program.names)
    ]
    units, limits = program.units, flows(drawn, program)["limits"]
    neighbours = None if privacy is None else privacy.aligned(private).neighbours
    alphas = None if neighbours is None else neighbours.alphas(len(private))
    owners = None if privacy is None else privacy.aligned(private).owners
    return {
        "title": source.title,
        "kind": "network" if drawn.nodes else "program",
        "unit": None if units is None else units.data,
        "cost_unit": None if units is None else units.cost or None,
        "buses": [
            _bus(name, x, y, known, bounds, variables)
            for name, x, y in zip(drawn.nodes, drawn.x, drawn.y, strict=True)
        ],
        "lines": [
            {"name": name, "from": a, "to": b, "limit": limit}
            for name, (a, b), limit in zip(drawn.lines, drawn.ends, limits, strict=True)
        ],
        "variables": variables,
        "private": [
            {
                "name": name,
                "lower": bounds[name][0],
                "upper": bounds[name][1],
                "public_value": known.get(name),
            }
            for name in private
        ],
        "owners": None if owners is None else [str(one) for one in _listed(owners)],
        "alpha": None if alphas is None else alphas[0] if len(set(alphas)) == 1 else list(alphas),
    }


def _bus(
    name: str,
    x: float,
    y: float,
    known: dict[str, float | None],
    bounds: dict[str, tuple[float | None, float | None]],
    variables: list[dict[str, Any]],
) -> dict[str, Any]:
    demand = f"demand[{name}]"
    lower, upper = bounds.get(demand, (None, None))
    return {
        "name": name,
        "x": x,
        "y": y,
        "demand": known.get(demand),
        "demand_name": demand if demand in bounds else None,
        "lower": lower,
        "upper": upper,
        "released_names": [
            one["name"] for one in variables if one["bus"] == name and one["name"].startswith("p[")
        ],
    }


def _ends(
    program: ConvexProgram, domain: Box | None
) -> tuple[Sequence[float | None], Sequence[float | None]]:
    count = len(program.private)
    if domain is None:
        return [None] * count, [None] * count
    low, high = domain.ends(program.private_names)
    return _numbers(low), _numbers(high)


def _numbers(values: Vector) -> list[float | None]:
    """Numbers without the digits that a change of unit leaves; None where one is not finite."""
    return [finite(float(f"{value:.12g}")) for value in values.tolist()]


def _publishable(program: ConvexProgram) -> Any:  # noqa: ANN401 -- one truth a variable
    """Which variables can be released by themselves: they may vary, and no equality fixes them.

    Variable j is fixed by the equalities where e_j lies in the span of their rows.
    """
    free: Any = program.upper > program.lower
    free[program.auxiliary] = False
    if program.n > _LARGE:
        return free
    rows: Any = program.equalities.matrix
    fixed = np.eye(program.n)[~(program.upper > program.lower)]
    _, size, basis = np.linalg.svd(np.vstack([rows.toarray(), fixed]), full_matrices=False)
    basis = basis[size > _FREE * size.max(initial=1.0)]
    return free & (1.0 - np.square(basis).sum(axis=0) > _FREE)


def _listed(owners: Any) -> list[Any]:  # noqa: ANN401 -- as the noise keeps them
    return list(owners)
