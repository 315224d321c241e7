"""A noise family and a reformulation are a class and a line: both are used from job to report."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from tests.app.writing import toml
from tests.cases import toy
from typer.testing import CliRunner

import privopt as po
from privopt.app.job import read_job
from privopt.app.making import instrument_of, solved
from privopt.app.options import options
from privopt.app.schema import to_text
from privopt.claims.guarantee import Claim
from privopt.claims.terms import FeasibilityTerms, PrivacyTerms
from privopt.cli import app
from privopt.errors import InputError
from privopt.feasibility.protocol import Feasibility, check_probability
from privopt.feasibility.registry import REFORMULATIONS
from privopt.ledger import compose
from privopt.noise.calibration import Calibration, Privacy, asked
from privopt.noise.registry import FAMILIES, named, of_kind
from privopt.noise.sensitivity import Sensitivity
from privopt.report.sheet import publication
from privopt.solving.margins import Cuboid, Margins
from privopt.solving.noisy import NoisyProgram


@dataclass(frozen=True, kw_only=True)
class Louder(Privacy):
    """Laplace noise, some times as much as epsilon asks for."""

    name: ClassVar[str] = "louder"
    kind: ClassVar[str] = "LouderLaplace"
    words: ClassVar[str] = "louder Laplace"
    order: ClassVar[int] = 1

    times: float = field(default=2.0, metadata={"help": "Of louder noise: how much."})
    delta: float = field(default=0.0, init=False, repr=False)

    @property
    def _laplace(self) -> po.Laplace:
        return po.Laplace(epsilon=self.epsilon / self.times, alpha=self.alpha)

    def calibrate(self, size: int, Delta: float, **more: Any) -> Calibration:
        return self._laplace.calibrate(size, Delta, **more)


@dataclass(frozen=True, kw_only=True)
class WideBox(Feasibility):
    """All rows for every noise in twice the box of probability 1 - eta."""

    name: ClassVar[str] = "wide-box"
    kind: ClassVar[str] = "WideBox"
    certifiable: ClassVar[bool] = True

    eta: float
    wide: float = 2.0

    def __post_init__(self) -> None:
        check_probability(self, "eta", 0.5)

    @property
    def total_eta(self) -> float | None:
        return self.eta

    def margins(self, chance: NoisyProgram, rng: np.random.Generator) -> Margins:
        p = chance.noise_dimensions
        half = self.wide * chance.calibration.law.half_width(1 - (1 - self.eta) ** (1 / p))
        return Margins(box=Cuboid(np.full(p, -half), np.full(p, half)))

    def claim(self, chance: NoisyProgram) -> Claim:
        terms = FeasibilityTerms(chance.rows, self.eta)
        return Claim.of(terms, po.Provenance.PROVEN, "the box is wide", po.Scope.JOINT)


@pytest.fixture(autouse=True)
def registered(few_draws: None) -> Iterator[None]:
    FAMILIES.append(Louder)
    REFORMULATIONS.append(WideBox)
    yield
    FAMILIES.remove(Louder)
    REFORMULATIONS.remove(WideBox)


NOISE = Louder(epsilon=0.5, alpha=0.04, times=3.0)
KEPT = WideBox(eta=0.1, wide=1.5)
JOB = {
    "program": {"file": "program.json"},
    "data": {"values": [6.0]},
    "query": {"identity": [0]},
    "privacy": {"noise": "louder", "epsilon": 0.5, "alpha": 0.04, "times": 3.0},
    "feasibility": {"kind": "wide-box", "eta": 0.1, "wide": 1.5},
    "domain": {"lower": 5.0, "upper": 7.0},
}


def test_a_plan_its_release_and_what_they_cost(tmp_path: Path) -> None:
    plan = po.solve(toy(), po.Identity([0]), NOISE, KEPT)
    plain = po.solve(toy(), po.Identity([0]), po.Laplace(epsilon=0.5, alpha=0.04), KEPT)
    assert plan.calibration.scale == pytest.approx(3 * plain.calibration.scale)
    assert plan.guarantee.privacy.statement.startswith("0.5-differential privacy (louder Laplace)")
    assert plan.verify(samples=2000).violation.value <= 0.1
    with po.Ledger(tmp_path / "ledger", limit=po.Budget(10)) as ledger:
        first = plan.release(ledger=ledger, key="one")
        again = plan.release(ledger=ledger, key="one")
        assert again.replayed
        assert again.values.tolist() == first.values.tolist()
        request = ledger.events[-1].request
        assert request is not None
        assert request.noise == "LouderLaplace"
        found = compose(ledger, 1e-6)
        assert found.events == {"LouderLaplace (as charged)": 1}
        assert found.basic == 0.5
    first.save(tmp_path / "release.json")
    loaded = po.Release.load(tmp_path / "release.json")
    assert loaded.guarantee.privacy.terms == PrivacyTerms(0.5, 0.0, 0.04, "louder")
    assert "0.5-differential privacy (louder Laplace)" in publication(tmp_path / "release.json")


def test_an_instrument_in_its_file_and_on_its_page(tmp_path: Path) -> None:
    sums, domain = {"total": [0]}, po.Box(5.0, 7.0)
    made = po.Instrument(sums, program=toy(), privacy=NOISE, domain=domain)
    made.save(tmp_path / "instrument.json")
    loaded = po.Instrument.load(tmp_path / "instrument.json")
    assert loaded.privacy == NOISE
    assert loaded.calibration == made.calibration
    assert loaded.measure([6.0]).epsilon == pytest.approx(0.5 / 3)
    assert "0.5-differential privacy (louder Laplace)" in publication(tmp_path / "instrument.json")
    FAMILIES.remove(Louder)
    try:
        with pytest.raises(InputError):
            po.Instrument.load(tmp_path / "instrument.json")
    finally:
        FAMILIES.append(Louder)


def test_a_job_as_a_file_and_as_flags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    po.PublicProgram(toy()).save("program.json")
    Path("job.toml").write_text(toml(JOB))
    job = read_job("job.toml")
    assert (job.privacy, job.feasibility) == (NOISE, KEPT)
    assert (solved(job).privacy, instrument_of(job).privacy) == (NOISE, NOISE)
    said = {"noise": "louder", "epsilon": "0.5", "alpha": "0.04", "times": "3"}
    kept = {"feasibility": "wide-box", "eta": "0.1", "wide": "1.5"}
    flags = read_job(flags=said | kept)
    assert (flags.privacy, flags.feasibility) == (NOISE, KEPT)
    with pytest.raises(InputError, match=r"times, which laplace does not take"):
        read_job(flags=said | {"noise": "laplace"})
    louder = dataclasses.replace(NOISE, times=2.0)
    assert read_job(flags={"noise": "louder", "epsilon": "0.5", "alpha": "0.04"}).privacy == louder


def test_the_commands_take_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    po.PublicProgram(toy()).save("program.json")
    Path("job.toml").write_text(toml(JOB))
    for words in (
        ["measure", "--no-ledger", "job.toml", "--clamp", "--out", "measurement.json"],
        ["release", "--no-ledger", "job.toml", "--plan", "--out", "release.json"],
        ["verify", "job.toml", "--plan"],
    ):
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
    assert "louder Laplace" in CliRunner().invoke(app, ["solve", "job.toml"]).output


def test_flags_are_made_of_the_fields() -> None:
    text = to_text(options())
    assert '"flag": "times"' in text
    assert '"help": "Of louder noise: how much."' in text
    assert '"help": "Of wide-box."' in text
    assert '"wide-box"]' in text


def test_a_search_of_neighbours_knows_the_loss() -> None:
    made = NOISE.calibrate(2, 0.1)
    assert made.loss(np.array([0.1, 0.0]), 0.0) == pytest.approx(0.5 / 3, rel=1e-9)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_family_keeps_what_releases_say_of_it(family: Any) -> None:
    delta = {"delta": 1e-5} if "delta" in asked(family) else {}
    made: Calibration = family(epsilon=1.0, alpha=0.1, **delta).calibrate(1, 0.1)
    assert made.law.half_width(0.05) <= 3.0
    assert made.epsilon <= 1.0
    assert math.isfinite(made.scale)


def test_a_subclass_is_not_taken_for_the_class_it_was_made_from(tmp_path: Path) -> None:
    """Its own rules decide what is released and charged: keys and sums must tell them apart."""

    class Student(po.Gaussian):
        """Noise of another law, whose scale says something else."""

        def calibrate(self, size: int, Delta: float, **more: Any) -> Calibration:
            made = super().calibrate(size, Delta, **more)
            return dataclasses.replace(made, scale=2 * made.scale)

    class Careful(po.Analytic):
        """The same fields, other margins."""

    class Dearer(po.ExpectedCost):
        """Another objective without fields of its own."""

    assert (Student.kind, Careful.kind, Dearer.kind) == ("Student", "Careful", "Dearer")
    noise, kept = po.Gaussian(epsilon=1.0, delta=1e-5, alpha=0.01), po.Analytic(eta=0.1)
    usual = po.solve(toy(), po.Identity([0]), noise, kept)
    others = [
        po.solve(toy(), po.Identity([0]), noise, Careful(eta=0.1)),
        po.solve(toy(), po.Identity([0]), noise, kept, objective=Dearer()),
    ]
    assert usual.request not in [one.request for one in others]
    other = po.solve(toy(), po.Identity([0]), Student(epsilon=1.0, delta=1e-5, alpha=0.01), kept)
    with po.Ledger(tmp_path / "ledger", limit=po.Budget(10, 0.1)) as ledger:
        for _ in range(4):
            other.release(ledger)
        together = compose(ledger, delta=1e-4)
        assert together.epsilon >= 3.9  # as charged: nothing is known of its law


def test_nobody_elses_word_is_taken_for_a_proof() -> None:
    @dataclass(frozen=True)
    class Mine(Sensitivity):
        factor: float = 1e-3

        @property
        def provenance(self) -> Any:
            return "PROVEN"

        @property
        def because(self) -> str:
            return "I say so"

    with pytest.raises(InputError, match="sensitivity"):
        po.Laplace(epsilon=1.0, alpha=0.1, sensitivity=Mine())


def test_two_families_of_one_kind_are_refused() -> None:
    """Whichever were taken, the files and charges of the other would be read wrongly."""

    class Toy(po.Laplace):
        kind: ClassVar[str] = "Laplace"

    FAMILIES.insert(0, Toy)
    try:
        with pytest.raises(InputError, match="two noise families"):
            of_kind("Laplace")
        with pytest.raises(InputError, match="two noise families"):
            named("laplace")
    finally:
        FAMILIES.remove(Toy)
