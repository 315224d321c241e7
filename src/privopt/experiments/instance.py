"""The paper's random instance of a network, with the settings of its authors' code.

    minimise   c1'p + p'diag(c2)p
    subject to p - B theta = d,   0 <= p <= 3,   |beta_l (theta_f - theta_t)| <= rate_l

with c1 ~ U(1, 3), c2 ~ U(0.1, 0.3), d ~ U(0.5, 1) at every node, drawn in this order. B is the
Laplacian of beta = -Im(1/(r+jx)); parallel lines are one line of their added beta and rate. The
last node is the reference: its angle and its supply are zero.

Released: max(1, floor(1.1 * 0.3 N)) nodes drawn with replacement, made unique in draw order, the
reference removed, the first node if none is left, cut to max(1, floor(0.3 N)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Vector
from privopt.errors import InputError
from privopt.mechanisms.randomness import generator_of
from privopt.model.domain import Box
from privopt.model.program import ConvexProgram
from privopt.model.query import Identity, Sum
from privopt.networks import Network, fingerprint, load
from privopt.networks.network import incidence
from privopt.scalars import whole

__all__ = [
    "DEMAND",
    "LINEAR_COST",
    "QUADRATIC_COST",
    "SHARE",
    "SUPPLY",
    "Instance",
    "check_sums",
    "instance",
]

DEMAND = (0.5, 1.0)
LINEAR_COST = (1.0, 3.0)
QUADRATIC_COST = (0.1, 0.3)
SUPPLY = (0.0, 3.0)
SHARE = 0.3  # of the nodes is released
_SPARE = 1.1  # nodes drawn for each one wanted, because draws repeat


@dataclass(frozen=True, eq=False)
class Grid:
    """What is fixed of a network: node numbers, and lines with parallel ones added up."""

    number: NDArray[np.int64]
    source: NDArray[np.intp]
    target: NDArray[np.intp]
    beta: Vector
    rate: Vector

    @property
    def incidence(self) -> Any:  # noqa: ANN401 -- scipy sparse
        """Lines by nodes, +1 where a line starts and -1 where it ends."""
        return incidence(self.source, self.target, len(self.number))


@dataclass(frozen=True, eq=False)
class Instance:
    """One draw of the paper's experiment.

    Attributes
    ----------
    program, query, domain
        The program with its private demands, the release of 30% of the supplies, and the box of
        possible demands.
    released
        The nodes released, by position, in the order drawn.
    """

    name: str
    program: ConvexProgram
    query: Identity
    domain: Box
    released: tuple[int, ...]
    grid: Grid

    def sums(self, count: int, *, separate: bool = False) -> Sum:
        """Sums over clusters of the released nodes, the authors' way.

        Clusters of floor(released / count) nodes in draw order; one surplus cluster is dropped, so
        there may still be more than `count` of them.
        """
        whole(count, "count", "use 1, 3, 6 or 9.")
        if count > len(self.released):
            raise _too_many(count, len(self.released))
        size = len(self.released) // count
        starts = range(0, len(self.released), size)
        groups = [list(self.released[k : k + size]) for k in starts]
        return Sum(groups[:-1] if len(groups) > count else groups, separate=separate)


def instance(
    name: str | Network,
    rng: int | np.random.Generator | None = None,
    *,
    linear: tuple[float, float] = LINEAR_COST,
    quadratic: tuple[float, float] | None = QUADRATIC_COST,
) -> Instance:
    """Draw an instance of the paper's experiment.

    Parameters
    ----------
    name
        A PGLib name, the path of a case file, or a network.
    rng
        A seed or a numpy Generator.
    linear, quadratic
        Ranges of the cost coefficients; `quadratic=None` makes the cost linear.

    Examples
    --------
    >>> import privopt as po
    >>> drawn = po.experiments.instance("14_ieee", 0)
    >>> drawn.program
    ConvexProgram(28 variables, 66 inequalities, 14 equalities, 14 private)
    >>> drawn.query.names(drawn.program)
    ('p[11]', 'p[9]', 'p[8]', 'p[5]')
    """
    grid = merged(name) if isinstance(name, Network) else _grid(name, fingerprint(name))
    title = name.name if isinstance(name, Network) else name
    generator, n = generator_of(rng), len(grid.number)
    c1 = generator.uniform(*linear, n)
    c2 = np.zeros(n) if quadratic is None else generator.uniform(*quadratic, n)
    d = generator.uniform(*DEMAND, n)
    released = release_set(generator, n)
    limited = np.flatnonzero(np.isfinite(grid.rate))
    ends = grid.incidence
    flow: Any = sp.csr_array(sp.diags_array(grid.beta) @ ends)
    lines: Any = sp.vstack([flow[limited], -flow[limited]], format="csr")
    numbers = grid.number.tolist()
    between = [(numbers[grid.source[k]], numbers[grid.target[k]]) for k in limited]
    nothing = np.zeros(n)
    lower = np.concatenate([np.full(n, SUPPLY[0]), np.full(n, -np.inf)])
    upper = np.concatenate([np.full(n, SUPPLY[1]), np.full(n, np.inf)])
    upper[n - 1] = 0.0
    lower[2 * n - 1] = upper[2 * n - 1] = 0.0
    program = ConvexProgram(
        linear=np.concatenate([c1, nothing]),
        quadratic=np.concatenate([c2, nothing]),
        A=sp.hstack([sp.csr_array((lines.shape[0], n)), lines], format="csr"),
        b=np.tile(grid.rate[limited], 2),
        G=sp.hstack([sp.eye_array(n), -(ends.T @ flow)], format="csr"),
        d=d,
        lower=lower,
        upper=upper,
        names=[f"p[{k}]" for k in numbers] + [f"theta[{k}]" for k in numbers],
        data_names=[f"demand[{k}]" for k in numbers],
        row_names=[f"flow[{f},{t}]" for f, t in between] + [f"flow[{t},{f}]" for f, t in between],
    )
    return Instance(title, program, Identity(list(released)), Box(*DEMAND), released, grid)


def check_sums(name: str, count: int) -> None:
    """Refuse more sums than a network can have released nodes."""
    most = max(1, math.floor(SHARE * len(_grid(name, fingerprint(name)).number)))
    if count > most:
        raise _too_many(count, most)


def _too_many(count: int, released: int) -> InputError:
    return InputError(
        f"{count} sums were asked of {released} released nodes.",
        "at least one node a sum.",
        "ask fewer sums, or take a larger network.",
    )


def release_set(rng: np.random.Generator, n: int) -> tuple[int, ...]:
    """The authors' draw of the released nodes (see the module)."""
    drawn = rng.integers(0, n, max(1, math.floor(_SPARE * SHARE * n)))
    kept = [int(node) for node in dict.fromkeys(drawn.tolist()) if node != n - 1]
    return tuple((kept or [0])[: max(1, math.floor(SHARE * n))])


@cache
def _grid(name: str, _identity: str) -> Grid:
    return merged(load(name))


def merged(network: Network) -> Grid:
    """A network with parallel lines as one; lines that carry nothing are left out."""
    lines = network.branches
    size = lines.r**2 + lines.x**2
    if np.any(size == 0):
        raise InputError(
            f"{network.name} has lines without impedance.",
            "an impedance for every line, as in the paper's networks.",
            "merge the buses they join, or use network.program(), which takes them.",
        )
    n = len(network.buses)
    low, high = np.minimum(lines.source, lines.target), np.maximum(lines.source, lines.target)
    pairs, place = np.unique(low * n + high, return_inverse=True)
    beta, rate = np.zeros(len(pairs)), np.zeros(len(pairs))
    np.add.at(beta, place, lines.x / size)
    np.add.at(rate, place, lines.rate)
    used = beta != 0
    return Grid(
        network.buses.number,
        (pairs // n)[used].astype(np.intp),
        (pairs % n)[used].astype(np.intp),
        beta[used],
        rate[used],
    )
