"""Where the nodes of a graph are drawn: stress majorisation (SMACOF) of its distances.

    minimise sum_(i, j) (|x_i - x_j| - d_ij)^2 / d_ij^2,      d_ij = lines on the shortest path

over all pairs of up to 500 nodes; of a larger graph, over pairs that are one or two lines apart and
over those of a node and one of 60 pivots, which lie as far apart as they can. Each round solves one
linear system.

Starts are computed and not drawn: the distances to the pivots, projected on two of their main
directions (classical scaling), found by iteration from fixed vectors, so that rounding, which
differs from machine to machine, does not turn the picture. Of the layouts from several starts the
one with the fewest crossing lines is kept, among equals the one with the least stress.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

from privopt.arrays import Dense, Vector
from privopt.networks.crossings import crossings
from privopt.solving.factor import factored

__all__ = ["least_stress", "simple_lines"]

Nodes = NDArray[np.intp]
_WHOLE = 500  # nodes, up to which all pairs count
_SMALL, _MIDDLE = 60, 200  # nodes, up to which six and three starts are tried
_PIVOTS = 60
_ROUNDS, _MORE = 60, 240  # for each start, and then for the best one
_STARTS = ((0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3))  # pairs of main directions
_SETTLED = 1e-4  # of the size of the picture: a round that moves less is the last one


def least_stress(count: int, source: Nodes, target: Nodes) -> Dense:
    """Positions of nodes joined by lines, each line once; distances are in lines."""
    stress = _Stress.of(count, source, target)
    pairs = _STARTS[: 6 if count <= _SMALL else 3 if count <= _MIDDLE else 1]
    tried = [stress.rounds(start, _ROUNDS) for start in stress.starts(pairs)]
    if len(tried) == 1:
        return tried[0]
    ranked = [
        (crossings(x, source, target), round(stress.value(x), 3), k) for k, x in enumerate(tried)
    ]
    return stress.rounds(tried[min(ranked)[2]], _MORE)


def simple_lines(source: Nodes, target: Nodes) -> tuple[Nodes, Nodes]:
    """Each line once: parallel lines and lines from a node to itself are left out."""
    ends = np.sort(np.column_stack([source, target]), axis=1)
    ends = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    return ends[:, 0], ends[:, 1]


@dataclass(frozen=True, eq=False)
class _Stress:
    """Pairs i, j of nodes, how far apart they should be, and what solves one round.

    `far` are the distances from all nodes to the pivots.
    """

    i: Nodes
    j: Nodes
    wanted: Vector
    far: Dense
    solved: Callable[[Dense], Dense]

    @classmethod
    def of(cls, count: int, source: Nodes, target: Nodes) -> _Stress:
        links = sp.csr_array((np.ones(len(source)), (source, target)), shape=(count, count))
        if count <= _WHOLE:
            far = _finite(np.asarray(shortest_path(links, directed=False, unweighted=True)))
            i, j = np.triu_indices(count, 1)
            return cls(i, j, far[i, j], far, _dense(i, j, far[i, j]))
        pivots, far = _pivots(links, count)
        both = links + links.T
        second = sp.triu(both @ both, 1).tocoo()  # neighbours of one node
        every = np.repeat(np.arange(count), len(pivots))
        i = np.concatenate([source, second.row, every]).astype(np.intp)
        j = np.concatenate([target, second.col, np.tile(pivots, count)]).astype(np.intp)
        near = np.repeat([1.0, 2.0], [len(source), len(second.row)])
        wanted = np.concatenate([near, far.ravel()])
        i, j, wanted = i[wanted > 0], j[wanted > 0], wanted[wanted > 0]
        return cls(i, j, wanted, far, _sparse(i, j, wanted))

    def starts(self, pairs: tuple[tuple[int, int], ...]) -> list[Dense]:
        """Classical scaling on pairs of main directions; twins are moved a little apart."""
        square = self.far**2
        middle = -0.5 * (square - square.mean(axis=0) - square.mean(axis=1)[:, None])
        count = min(len(middle), 1 + max(map(max, pairs)))
        scores, size = _main(middle - middle.mean(), count)
        apart = _spread(2 * len(scores)).reshape(-1, 2) * 1e-3
        size = np.maximum(np.sqrt(size), 1e-3)
        return [scores[:, [a, b]] * size[[a, b]] + apart for a, b in pairs if b < count]

    def rounds(self, x: Dense, most: int) -> Dense:
        """The layout after so many rounds, or when it has settled."""
        for _ in range(most):
            between = x[self.i] - x[self.j]
            apart = np.hypot(between[:, 0], between[:, 1])
            force = between / (self.wanted * np.maximum(apart, 1e-9))[:, None]
            new = self.solved(np.column_stack([self._summed(pull, len(x)) for pull in force.T]))
            moved = np.abs((new - new.mean(axis=0)) - (x - x.mean(axis=0))).max()
            x = new
            if moved < _SETTLED * np.ptp(x, axis=0).max():
                break
        return x

    def _summed(self, pull: Vector, count: int) -> Vector:
        """What pulls at each node, over all pairs."""
        out, back = np.bincount(self.i, pull, count), np.bincount(self.j, pull, count)
        return (out - back).astype(float)

    def value(self, x: Dense) -> float:
        """The stress of a layout."""
        apart = np.linalg.norm(x[self.i] - x[self.j], axis=1)
        return float(((apart / self.wanted - 1.0) ** 2).sum())


def _laplacian(i: Nodes, j: Nodes, wanted: Vector) -> Any:  # noqa: ANN401 -- scipy sparse
    """Of the weights of the pairs, with node 0 held: the layout is free to move as a whole."""
    count = int(max(i.max(), j.max())) + 1
    ends = (np.concatenate([i, j]), np.concatenate([j, i]))
    joined: Any = sp.coo_array((np.tile(wanted**-2.0, 2), ends), shape=(count, count)).tocsr()
    held = np.asarray(joined.sum(axis=1)).ravel()
    held[0] += 1.0
    return sp.csc_array(sp.diags_array(held) - joined)


def _dense(i: Nodes, j: Nodes, wanted: Vector) -> Callable[[Dense], Dense]:
    whole: Dense = np.asarray(_laplacian(i, j, wanted).toarray(), dtype=float)
    inverse = np.linalg.inv(whole)
    return lambda right: inverse @ right


def _sparse(i: Nodes, j: Nodes, wanted: Vector) -> Callable[[Dense], Dense]:
    factors = factored(_laplacian(i, j, wanted), symmetric=True)
    return lambda right: np.asarray(factors.solve(right), dtype=float)


def _finite(far: Dense) -> Dense:
    """Distances, with one between parts that are not connected."""
    return np.where(np.isfinite(far), far, 1.5 * far[np.isfinite(far)].max(initial=1.0))


def _pivots(links: Any, count: int) -> tuple[Nodes, Dense]:  # noqa: ANN401 -- scipy sparse
    """Nodes as far apart as they can be, and the distances of all nodes from each."""
    pivots, columns = [0], list[Vector]()
    nearest = np.full(count, np.inf)
    for _ in range(min(_PIVOTS, count)):
        found = shortest_path(links, directed=False, unweighted=True, indices=pivots[-1])
        columns.append(np.asarray(found))
        nearest = np.minimum(nearest, columns[-1])
        pivots.append(int(np.argmax(nearest)))
    return np.array(pivots[:-1], dtype=np.intp), _finite(np.column_stack(columns))


def _main(matrix: Dense, count: int) -> tuple[Dense, Vector]:
    """The main directions of the rows, by iteration from fixed vectors, and their sizes."""
    basis = np.linalg.qr(_spread(len(matrix) * count).reshape(count, -1).T)[0]
    size = np.zeros(count)
    for _ in range(100):
        basis, triangle = np.linalg.qr(matrix @ (matrix.T @ basis))
        basis = basis * np.where(np.diag(triangle) < 0, -1.0, 1.0)
        size = np.abs(np.diag(triangle))
    return basis, np.sqrt(size)


def _spread(count: int) -> Vector:
    """Numbers from -1/2 to 1/2, spread evenly by the golden ratio: nothing is drawn at random."""
    return np.modf((np.sqrt(5.0) - 1.0) / 2.0 * np.arange(1, count + 1))[0] - 0.5
