"""What a program from a graph can do besides: take edges as variables, give flows by edge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, cast

import numpy as np

from privopt import arrays
from privopt.errors import InputError
from privopt.model.program import ConvexProgram

__all__ = ["Edge", "FlowProgram"]

Edge: TypeAlias = tuple[Any, ...]


class FlowProgram(ConvexProgram):
    """A `ConvexProgram` whose variables are flows on the edges of a graph.

    Queries take edges: `Identity([("a", "b")])`, `Sum({"out of a": graph.out_edges("a")})`; in a
    MultiDiGraph `("a", "b", key)`, the key where several edges join the nodes. Made by
    `from_networkx`; it keeps no graph.
    """

    def __init__(
        self,
        nodes: tuple[Any, ...],
        edges: tuple[Edge, ...],
        private: tuple[Any, ...],
        **data: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(**data)
        self._nodes, self._edges, self._private = nodes, edges, private

    def at(self, d: Any) -> FlowProgram:  # noqa: ANN401
        """The same program with other private demands, as in `data`."""
        return cast("FlowProgram", super().at(self.data(d)))

    def data(self, d: Any) -> Any:  # noqa: ANN401
        """Demands by node as the vector d, which `instrument.measure` takes; a vector as it is.

        Demands of nodes that are not private are not read.
        """
        if not isinstance(d, Mapping):
            return d
        given = cast("Mapping[Any, Any]", d)
        missing = [node for node in self._private if node not in given]
        if missing:
            raise InputError(
                f"the demand of {missing[0]} is missing.",
                "a demand for every private node.",
                "give zero where there is none.",
            )
        values = [given[node] for node in self._private]
        return arrays.curated(values, len(values), "the demands")

    def flows(self, z: Any) -> dict[Any, dict[Any, Any]]:  # noqa: ANN401
        """A solution by edge, `flows[u][v]` (`flows[u][v][key]`), as networkx gives it. Private."""
        point = arrays.vector(z, self.n, "z", labels=self.names, private=True)
        found: dict[Any, dict[Any, Any]] = {node: {} for node in self._nodes}
        for edge, flow in zip(self._edges, point.tolist(), strict=False):
            inner = found
            for part in edge[:-1]:
                inner = inner.setdefault(part, {})
            inner[edge[-1]] = flow
        return found

    def positions(self, which: Any) -> list[int]:  # noqa: ANN401
        """Positions of variables, given also as edges: tuples in a list."""
        if isinstance(which, (str, int, np.integer)) or not isinstance(which, Iterable):
            return super().positions(which)
        items = list(cast("Iterable[Any]", which))
        if not any(isinstance(item, tuple) for item in items):
            return super().positions(items)
        place = {edge: j for j, edge in enumerate(self._edges)}
        alone = Counter(edge[:2] for edge in self._edges)
        place |= {edge[:2]: j for edge, j in place.items() if alone[edge[:2]] == 1}
        return [
            place[item] if item in place else super(FlowProgram, self).positions([item])[0]
            for item in items
        ]
