"""A ledger with releases of every kind, and the evidence of it; made once, copied to be forged."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

import privopt as po
from privopt.report.evidence.making import make_evidence

D = [6.123454321, 1.456787654]
KEY = "a key that nobody else may see"
NOISES = {
    "laplace": po.Laplace(epsilon=0.5, alpha=0.05),
    "gaussian": po.Gaussian(epsilon=0.7, delta=1e-5, alpha=0.05),
    "truncated": po.TruncatedLaplace(epsilon=1.0, delta=1e-4, alpha=0.05),
}


def program() -> po.ConvexProgram:
    return po.ConvexProgram(
        linear=[1.0, 2.0, 3.0], quadratic=[0.1, 0.1, 0.1], G=[[1, 1, 1], [0, 1, 0]], lower=0.0,
        upper=9.0, data_names=["north", "south"], unit="MW",
    )  # fmt: skip


@dataclass(frozen=True)
class World:
    """A folder with a ledger and the files that were made through it."""

    folder: Path

    @property
    def ledger(self) -> Path:
        return self.folder / "loads.ledger"

    @property
    def files(self) -> list[Path]:
        return sorted(self.folder.glob("*.json"))


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("the curator's own folder")
    made, domain, query = program(), po.Box([5.0, 1.0], [7.0, 2.0]), po.Identity([0])
    with po.Ledger(folder / "loads.ledger", limit=po.Budget(10, 1e-3)) as ledger:
        for name, noise in NOISES.items():
            kept = po.Always() if name == "truncated" else po.ExactBox(eta=0.05)
            plan = po.solve(made.at(D), query, noise, kept)
            plan.release(ledger, f"{KEY}, {name}").save(folder / f"release-{name}.json")
            sums = {"total": ["north", "south"], "north": ["north"]}
            instrument = po.Instrument(sums, program=made, privacy=noise, domain=domain)
            instrument.save(folder / f"instrument-{name}.json")
            measured = instrument.measure(D, ledger, f"{KEY}, sums, {name}")
            measured.save(folder / f"measurement-{name}.json")
        laplace = po.Measurement.load(folder / "measurement-laplace.json")
        decision = po.decide(made, query, laplace, po.ExactBox(eta=0.05))
        decision.save(folder / "decision.json")
        decision.release().save(folder / "decided.json")
        plan = po.solve(made.at(D), query, NOISES["laplace"], po.Analytic(eta=0.05))
        plan.release(ledger, f"{KEY}, plan").save(folder / "plan.json")
    return World(folder)


@pytest.fixture(scope="session")
def made_once(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evidence") / "folder"
    assert make_evidence(world.ledger, world.files, folder).sound
    return folder


@pytest.fixture
def evidence(made_once: Path, tmp_path: Path) -> Path:
    """The evidence, to be forged."""
    return Path(shutil.copytree(made_once, tmp_path / "evidence"))
