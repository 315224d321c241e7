"""Whether a solution of the cone relaxation (`socp`) is a power flow: P^2 + Q^2 = l v on each line.

The relaxation asks for P^2 + Q^2 <= l v_i. Where equality holds on every line, the solution is an
AC power flow, and the best one; where not, currents are larger than any flow needs: losses are made
up, and voltages are not those that would be measured.

    gap of a line   |r + jx| (l - (P^2 + Q^2) / v_i), over the largest |r + jx| l of all lines
    surplus         sum of r (l - (P^2 + Q^2) / v_i), the active losses that no flow has

The impedance is in the gap because it is in all that a current changes, losses and voltages: on a
line with next to none, a solver leaves l where it likes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from privopt import arrays
from privopt.arrays import Vector
from privopt.networks.convention import Convention
from privopt.networks.layout import Layout
from privopt.networks.naming import line_names
from privopt.networks.network import Network
from privopt.show.pictures.intervals import Dots, intervals
from privopt.show.pictures.picture import Picture
from privopt.show.result import PrivateResult
from privopt.show.view import Fact, Table, View

__all__ = ["Relaxation", "check_relaxation"]


@dataclass(frozen=True, repr=False, eq=False)
class Relaxation(PrivateResult):
    """How far a solution is from a power flow. Private: it depends on d.

    Attributes
    ----------
    gaps
        That of each line with impedance, in their order; `lines` has their names.
    losses, surplus
        Active losses of the solution, and the part of them that no flow has; per unit.
    tolerance
        The largest gap that counts as none.
    """

    lines: tuple[str, ...]
    gaps: Vector
    losses: float
    surplus: float
    tolerance: float

    def __repr__(self) -> str:
        return f"Relaxation({len(self.lines)} lines; private: read .gap and .statement)"

    @property
    def gap(self) -> float:
        """The largest gap."""
        return float(self.gaps.max(initial=0.0))

    @property
    def exact(self) -> bool:
        """Whether every gap is within the tolerance."""
        return self.gap <= self.tolerance

    @property
    def statement(self) -> str:
        """What that means, in words."""
        if self.exact:
            return (
                f"The relaxation is exact here (largest gap {self.gap:.1e}): the solution is an AC "
                "power flow."
            )
        worst = self.lines[int(np.argmax(self.gaps))]
        share = 100 * self.surplus / self.losses if self.losses > 0 else 0.0
        return (
            f"The relaxation is not exact here: the gap of line {worst} is {self.gap:.1e}, and "
            f"{share:.2g}% of the losses belong to no power flow. Do not rely on the voltages and "
            "currents of this solution."
        )

    def view(self) -> View:
        """Each line, and what it means."""
        facts = (
            Fact("largest gap", f"{self.gap:.3e}"),
            Fact("active losses", f"{self.losses:.6g} per unit"),
            Fact("of these, in no flow", f"{self.surplus:.3g} per unit"),
            Fact("in words", self.statement),
        )
        table = Table("line", self.lines, {"gap": self.gaps})
        return View("Exactness of the relaxation", table, facts, private=True)

    def plot(self) -> Picture:
        """The gap of each line. Private."""
        title = "PRIVATE: gaps of the cone relaxation"
        return intervals(
            self.lines, [Dots("gap", self.gaps)], title, self.statement, "relative gap"
        )


def check_relaxation(network: Network, solution: Any, tolerance: float = 1e-6) -> Relaxation:  # noqa: ANN401
    """How far a solution of `network.program("socp")` is from an AC power flow.

    Parameters
    ----------
    network
        The feeder that the program was made of.
    solution
        An `Optimum` or a completed decision (anything with a `z`), or the vector z itself.
    tolerance
        The largest gap that counts as none.
    """
    at = Layout.of(network, Convention.SOCP)
    given = getattr(solution, "z", solution)
    names = network.program(Convention.SOCP).names
    z = arrays.vector(given, len(names), "solution", labels=names, private=True)
    lines, k = network.branches, at.lossy
    squared = z[at.P + k] ** 2 + z[at.Q + k] ** 2
    v = z[at.v + lines.source[k]] / lines.tap[k] ** 2
    current = z[at.current : at.cost]
    beyond = current - squared / np.where(v > 0, v, 1.0)
    impedance = np.hypot(lines.r[k], lines.x[k])
    largest = float((impedance * np.abs(current)).max(initial=0.0))
    every = line_names(network)
    return Relaxation(
        lines=tuple(every[int(j)][0] for j in k),
        gaps=impedance * beyond / (largest or 1.0),
        losses=float(lines.r[k] @ current),
        surplus=float(lines.r[k] @ beyond),
        tolerance=tolerance,
    )
