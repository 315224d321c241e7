"""Figure 2: the expected loss against the deviation it is traded for, as phi grows.

Nine sums on 118_ieee with unimodal margins and a linear cost c1 ~ U(1, cbar). Panel "cost" weighs
the deviation of the cost (the paper's (8)), panel "solution" that of the solution (what its (9)
means to be, or (9) as printed).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

from privopt.experiments.algorithms import feasibility
from privopt.experiments.instance import check_sums, instance
from privopt.experiments.measure import attempt
from privopt.experiments.study import Row, Study, Unit, ended, grouped, mean_and_std, streams
from privopt.feasibility.protocol import Feasibility
from privopt.mechanisms.plan import Plan
from privopt.mechanisms.planning import solve
from privopt.model.objective import CostDeviation, SolutionDeviation
from privopt.networks import fingerprint
from privopt.noise import Laplace

__all__ = ["PHIS", "Figure2"]

PHIS = {
    "cost": (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.9),
    "solution": (0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99),
}
_ALGORITHM = "PSQ-a"
_KINDS = ("cost_variance", "loss_variance", "solution_variance", "noise_variance", "violation")


@dataclass(frozen=True, kw_only=True)
class Figure2(Study):
    """The paper's Figure 2.

    Parameters
    ----------
    networks, sums, cbars
        The paper's: 118_ieee, 9, and 10 to 50.
    runs, samples, seed
        Random instances, draws for each verification, and the seed of both.
    published
        True: (9) as printed in panel "solution", which is not the solution's deviation.
    epsilon, alpha, eta
        The paper's: 1, 0.5 and 2.5%.
    """

    name: ClassVar[str] = "figure2"
    known: ClassVar[tuple[str, ...]] = (_ALGORITHM,)

    networks: tuple[str, ...] = ("118_ieee",)
    algorithms: tuple[str, ...] = field(default=(_ALGORITHM,), init=False)
    sums: int = 9
    cbars: tuple[float, ...] = (10.0, 20.0, 30.0, 40.0, 50.0)
    runs: int = 100
    samples: int = 1000
    seed: int = 0
    published: bool = False
    epsilon: float = 1.0
    alpha: float = 0.5
    eta: float = 0.025

    def units(self) -> list[Unit]:
        """Run by run."""
        for network in self.networks:
            check_sums(network, self.sums)
        return [
            Unit(network, run, _ALGORITHM, (("panel", panel), ("cbar", cbar), ("phi", phi)))
            for run in range(self.runs)
            for network in self.networks
            for cbar in self.cbars
            for panel, phis in PHIS.items()
            for phi in phis
        ]

    def work(self, unit: Unit) -> Row:
        """Solve for one phi."""
        asked = dict(unit.parameters)
        panel, phi, cbar = str(asked["panel"]), float(asked["phi"]), float(asked["cbar"])
        third = streams(self.seed, unit.network, unit.run)[2]
        row: Row = dict.fromkeys(("loss", *_KINDS))
        with attempt(row):
            phis = PHIS[panel][: PHIS[panel].index(phi) + 1]
            identity = fingerprint(unit.network)
            plan = _plan(self, unit.network, identity, unit.run, cbar, panel * (phi > 0), phis)
            row["loss"] = 100 * plan.loss
            row["cost_variance"] = plan.cost_deviation**2
            row["loss_variance"] = (100 * plan.cost_deviation / plan.optimum.cost) ** 2
            row["solution_variance"] = plan.solution_deviation**2
            row["noise_variance"] = plan.S.shape[0] * plan.calibration.deviation**2
            row["violation"] = 100 * float(plan.verify(self.samples, third).completion.value)
        return row

    @property
    def kept(self) -> Feasibility:
        """How the inequalities are kept."""
        return feasibility(_ALGORITHM, boxes=True, eta=self.eta, beta=0.01)

    def summarise(self, rows: list[Row]) -> list[Row]:
        """Means over the runs of each panel, cbar and phi."""
        order = {"network": self.networks, "panel": tuple(PHIS), "cbar": self.cbars, "phi": None}
        return grouped(rows, order, _point)


@lru_cache(maxsize=32)
def _plan(
    study: Figure2,
    network: str,
    identity: str,
    run: int,
    cbar: float,
    panel: str,
    phis: tuple[float, ...],
) -> Plan:
    """The plan of an instance at the last phi, from that at the one before.

    At phi = 0, from that of the cbar before.
    """
    first, second, _ = streams(study.seed, network, run)
    if len(phis) == 1:
        drawn = instance(network, first, linear=(1.0, cbar), quadratic=None)
        noise = Laplace(epsilon=study.epsilon, alpha=study.alpha)
        earlier = study.cbars.index(cbar) - 1
        start = None
        if earlier >= 0:
            start = _plan(study, network, identity, run, study.cbars[earlier], "", phis)
        return solve(
            drawn.program, drawn.sums(study.sums), noise, study.kept, rng=second, start=start
        )
    *before, phi = phis
    given = panel if len(before) > 1 else ""  # phi = 0 is the same in both panels
    start = _plan(study, network, identity, run, cbar, given, tuple(before))
    aim = (
        CostDeviation(phi=phi)
        if panel == "cost"
        else SolutionDeviation(phi=phi, published=study.published)
    )
    return solve(
        start.program, start.query, start.privacy, study.kept,
        objective=aim, rng=second, start=start,
    )  # fmt: skip


def _point(runs: list[Row]) -> Row:
    """Means of the runs, and how many had no plan."""
    loss, loss_std = mean_and_std(runs, "loss")
    return {
        "loss": loss,
        "loss_std": loss_std,
        **{kind: mean_and_std(runs, kind)[0] for kind in _KINDS},
        **ended(runs),
    }
