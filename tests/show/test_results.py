"""Every result shows itself: words, a table, a picture, a page. Private ones only if asked."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.show.pictures.reading import parsed, words

import privopt as po
from privopt.app.advising import advise
from privopt.app.frontier import Frontier, FrontierPoint
from privopt.app.job import read_job
from privopt.assess import audit, lower_bound
from privopt.errors import InfeasibleError, InputError
from privopt.kernel.instrument import Instrument
from privopt.mechanisms.baselines import input_perturbation, output_perturbation
from privopt.show.pictures.picture import Picture
from privopt.show.result import PrivateResult, Result
from privopt.show.view import Table, View

D = (5.1234598761, 2.7182845907)
NAMES = ["a", "b<i>", "c & d", "d", "e"]  # names are anybody's
QUERY = po.Identity(["b<i>", "d"])
NOISE = po.Laplace(epsilon=1.0, alpha=0.05)
KEPT = po.Analytic(eta=0.05)
DOMAIN = po.Box([4.5, 2.0], [5.5, 3.0])


def program(d: Any = D) -> po.ConvexProgram:
    return po.ConvexProgram(
        linear=[1.0, 2.0, 3.0, 1.5, 2.5],
        quadratic=[0.11, 0.13, 0.17, 0.19, 0.23],
        G=[[1.0, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.3, 1.0, 1.0]],
        d=d,
        lower=0.0,
        upper=4.0,
        names=NAMES,
    )


@cache
def plan() -> po.Plan:
    return po.solve(program(), QUERY, NOISE, KEPT)


@cache
def diagnosis() -> Any:
    with pytest.raises(InfeasibleError) as caught:
        po.solve(program((11.99, 2.0)), QUERY, NOISE, KEPT)
    return caught.value.diagnose()


def instrument() -> Instrument:
    W = {"both": [0, 1], "first<i>": [0]}
    return Instrument(W, program=program(None), privacy=NOISE, domain=DOMAIN)


@cache
def decision() -> po.Decision:
    measured = instrument().measure(D)
    return po.decide(program(None), QUERY, measured, po.ExactBox(eta=0.05))


def ledger(folder: Path) -> po.Ledger:
    made = po.Ledger(folder / "loads.ledger", po.Budget(3))
    instrument().measure(D, made, key="may")
    plan().release(made)
    return made


def private_frontier() -> Frontier:
    cost = plan().cost
    points = (
        FrontierPoint(0.1, "infeasible"),
        FrontierPoint(1.0, "solved", cost, 0.0123456),
        FrontierPoint(2.0, "failed"),
    )
    return Frontier("epsilon", True, points)


def advice(folder: Path) -> Result:
    """On a job with the same program, and another domain."""
    po.PublicProgram(program(None)).save(folder / "program.json")
    job = read_job(
        flags={
            "program": str(folder / "program.json"), "identity": "1", "epsilon": "1",
            "alpha": "0.05", "feasibility": "exact-box", "eta": "0.05", "measure": "total",
            "lower": "4.5", "upper": "4.9",
        }
    )  # fmt: skip
    return advise(job)


def relaxation() -> Result:
    """Whether a feeder's relaxed solution is a power flow."""
    network = po.networks.load("case33bw")
    return po.networks.check_relaxation(network, network.program("socp").solve())


MADE: dict[str, Callable[[Path], Result]] = {
    "Release": lambda _: plan().release(),
    "Instrument": lambda _: instrument(),
    "Measurement": lambda _: instrument().measure(D),
    "Decision": lambda _: decision(),
    "DataLook": lambda _: po.look(instrument(), (9.8765432, D[1])),
    "Advice": advice,
    "Plan": lambda _: plan(),
    "Optimum": lambda _: program().solve(),
    "OutputPerturbation": lambda _: output_perturbation(program(), QUERY, NOISE),
    "InputPerturbation": lambda _: input_perturbation(program(), QUERY, NOISE),
    "Verification": lambda _: plan().verify(1000),
    "Relaxation": lambda _: relaxation(),
    "Diagnosis": lambda _: diagnosis(),
    "Frontier": lambda _: private_frontier(),
    "Audit": lambda _: audit(instrument(), [4.5, 2.0], [4.55, 2.0], samples=100),
    "LowerBound": lambda _: lower_bound(
        program(None), QUERY, NOISE, KEPT, domain=DOMAIN, tries=10, rng=0
    ),
    "Ledger": ledger,
}


def classes(of: type[Any]) -> Iterator[type[Any]]:
    """The classes that are results, found by looking; those that can be made, by their names."""
    for one in of.__subclasses__():
        if not one.__name__.startswith("_") and not inspect.isabstract(one):
            yield one
        yield from classes(one)


def test_every_result_of_the_library_is_tested_here() -> None:
    for module in pkgutil.walk_packages(po.__path__, "privopt."):
        if "cli" not in module.name and "__main__" not in module.name:
            importlib.import_module(module.name)
    ours = {one for one in classes(Result) if one.__module__.startswith("privopt.")}
    made = {one for one in ours if not ours & set(one.__subclasses__())}  # no mere parts of others
    assert {one.__name__ for one in made} == set(MADE)


class Page(HTMLParser):
    """Checks that every tag is closed, and keeps the cells of the table."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.text = ""
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.long
@pytest.mark.parametrize("name", MADE)
def test_a_result_shows_itself(name: str, tmp_path: Path) -> None:
    result = MADE[name](tmp_path)
    view = result.view()
    lines = result.summary().splitlines()
    assert lines[0].startswith(view.title[:40])
    assert all(len(line) <= 100 for line in lines if str(tmp_path) not in line)
    table = result.to_pandas()
    assert len(table) == len(view.table) > 0
    picture = result.plot()
    assert isinstance(picture, Picture)
    assert words(parsed(picture))  # something is drawn, and says what it is
    assert "<i>" not in picture.svg
    assert len(picture.svg) < 40_000
    page = Page(result._repr_html_())
    assert "i" not in page.seen
    assert len(page.text) > 40


@pytest.mark.parametrize("name", [n for n in MADE if n != "Ledger"])
def test_what_a_private_result_shows_unasked_has_no_value_of_it(name: str, tmp_path: Path) -> None:
    result = MADE[name](tmp_path)
    private = isinstance(result, PrivateResult) or getattr(result, "private", False)
    assert result.view().private == private
    numbers = _numbers(result.to_pandas())
    seen = set(re.findall(r"\d+\.\d{3,}", result._repr_html_()))
    shown = {f"{value:.6g}" for value in numbers if len(f"{value:.6g}") > 5}
    if private:
        assert not shown & seen
        assert "PRIVATE" in result.summary()
        assert "curator" in result._repr_html_()
    elif name in ("Release", "LowerBound"):
        assert shown & seen  # the check can fail


def _numbers(table: Any) -> list[float]:
    frame = table.to_frame() if hasattr(table, "to_frame") else table
    return [v for c in frame for v in frame[c] if isinstance(v, float) and np.isfinite(v)]


def test_tables_hold_what_the_attributes_say(tmp_path: Path) -> None:
    made = plan()
    frame = made.to_pandas()
    assert list(frame.index) == NAMES
    assert np.array_equal(frame["expected"], made.expected)
    assert np.array_equal(frame["optimum"], made.optimum.z)

    found = made.verify(2000)
    rows = found.to_pandas()
    assert set(rows.index) == set(found.names)
    assert rows["broken, %"].is_monotonic_decreasing
    assert rows["broken, %"].iloc[0] == 100 * found.worst()[1].value
    assert rows.index[0] == found.worst()[0]

    events = ledger(tmp_path).to_pandas()
    assert list(events["kind"]) == ["opened", "charge", "charge"]
    assert events["key"].iloc[1] == "may"
    assert events["privacy"].iloc[1] == "PROVEN"
    assert events["privacy"].iloc[2] == "ASSUMED"
    assert events["epsilon"].iloc[1] == 1.0


def test_a_replay_says_so(tmp_path: Path) -> None:
    with po.Ledger(tmp_path / "loads.ledger", po.Budget(1)) as counted:
        first = plan().release(counted, key="may")
        again = plan().release(counted, key="may")
        assert counted.spent == po.Budget(1)
    assert not first.replayed
    assert again.replayed
    assert again == first
    assert "replayed" in repr(again)
    assert "nothing was charged again" in " ".join(again.summary().split())
    again.save(tmp_path / "release.json")
    assert not po.Release.load(tmp_path / "release.json").replayed


def test_a_public_frontier_shows_its_page(tmp_path: Path) -> None:
    found = dataclasses.replace(
        private_frontier(),
        private=False,
        points=(FrontierPoint(1.0, "solved", completed=0.012345),),
    )
    assert "1.2345" in found._repr_html_()
    assert "1.2345" not in dataclasses.replace(found, private=True)._repr_html_()


def test_a_long_table_is_cut_and_says_so() -> None:
    table = Table("row", list(range(100)), {"x": [0.5] * 100})
    head, tail = View("t", table, limit=3), View("t", table, notes=("n",), limit=3, tail=True)
    assert [line.split()[0] for line in head.text().splitlines()[2:5]] == ["0", "1", "2"]
    assert [line.split()[0] for line in tail.text().splitlines()[2:5]] == ["97", "98", "99"]
    assert "the first 3 of 100" in head.text()
    assert "the last 3 of 100" in tail.html()
    assert tail.text().endswith("\nn")


def test_without_the_extra_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    release = plan().release()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"\[pandas\]"):
        release.to_pandas()
    assert release.plot().svg  # needs nothing
    assert release.summary()
