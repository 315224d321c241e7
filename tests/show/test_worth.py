"""What is said of worth: in words, and the same wherever a result shows itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.claims.test_worth import worth

import privopt as po
from privopt.app.frontier import Frontier
from privopt.app.job import Job, read_job
from privopt.app.making import instrument_of
from privopt.app.measuring import tried
from privopt.app.preparing import prepare
from privopt.app.rehearsal import rehearsed
from privopt.app.tracing import frontier
from privopt.claims.worth import Worth
from privopt.report.sheet import frontier_page, page_of
from privopt.show.worth import (
    narrow_words,
    worth_columns,
    worth_facts,
    worth_line,
    worth_warnings,
)


def facts(one: Worth) -> dict[str, str]:
    return {fact.name: fact.text for fact in worth_facts(one)}


def test_facts_say_what_is_told_what_to_leave_out_and_which_epsilon() -> None:
    two = worth([0.1, 3.0], [1.0, 1.0], noise=[0.1, 3.0])
    found = facts(two)
    assert found["tells"] == two.verdict
    assert found["leave out"].startswith("b:")
    enough = two.epsilon_for()
    assert enough is not None
    assert "epsilon = " in found["which epsilon"]
    good = facts(worth([0.1, 0.3], [1.0, 1.0], noise=0.1))
    assert "leave out" not in good
    assert "which epsilon" not in good
    assert "leave out" not in facts(worth([3.0, 3.0], [1.0, 1.0]))  # all of them: it is the verdict
    assert set(facts(replace(two, epsilon=0.0))) == {"distance", "spread", "tells"}  # it is free


def test_what_is_not_known_is_not_said() -> None:
    assert worth_facts(None) == ()
    assert worth_warnings(None) == ()
    assert worth_line(None) == ""
    assert worth_columns(None) == {}
    old = worth([0.5], [np.nan])  # a file of an earlier version has the errors alone
    assert list(facts(old)) == ["distance"]
    assert list(worth_columns(old)) == ["off by"]
    assert worth_line(old) == ""
    assert worth_facts(worth([np.nan], [1.0])) == ()
    assert worth_columns(worth([np.nan], [1.0])) == {}
    assert list(worth_warnings(worth([np.nan], [1.0]))) == []


def test_the_warnings_in_words() -> None:
    two = worth([0.1, 3.0], [1.0, 1.0], noise=0.1)
    told = list(worth_warnings(two))
    assert told[0] == "These values are farther off than a constant, the mean answer, would be: b."
    assert "times nearer" in told[1]
    assert list(worth_warnings(worth([0.1, 0.3], [1.0, 1.0]))) == []
    assert list(worth_warnings(replace(two, epsilon=0.0))) == []  # nothing is paid
    narrow = list(worth_warnings(replace(worth([0.1], [1.0]), narrow=("d[3]",))))
    assert narrow == [narrow_words(["d[3]"])]
    assert "narrower than alpha for d[3]:" in narrow[0]
    same = list(worth_warnings(worth([0.1, 0.2], [0.0, 0.0])))
    assert same == ["The values tell nothing: the answer is the same over the whole domain."]


# The same verdict everywhere. Of a program whose answer is d - 4 up to what a third supplier takes.

JOB = {"identity": "1", "epsilon": "1", "alpha": "0.05", "feasibility": "exact-box", "eta": "0.05",
       "lower": "5", "upper": "7"}  # fmt: skip
MEASURED = {**JOB, "mechanism": "measured", "measure": "total"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0], quadratic=[0.1] * 3, G=[[1, 1, 1]], lower=0, upper=4
    )
    made = tmp_path_factory.mktemp("worth")
    po.PublicProgram(program).save(made / "program.json")
    (made / "d.json").write_text("[6.0]")
    return made


def job(folder: Path, flags: dict[str, str]) -> Job:
    files = {"program": str(folder / "program.json"), "data": str(folder / "d.json")}
    return read_job(flags={**files, **flags})


def texts(shown: Any) -> dict[str, str]:
    """All that a result says of itself."""
    found = {"view": shown.view().text(), "notebook": shown.view().html()}
    if hasattr(shown, "plot"):
        found["summary"] = shown.summary()
        found["picture"] = shown.plot()._repr_html_()
    if isinstance(shown, Frontier):
        found["page"] = frontier_page(shown)
    elif hasattr(shown, "kind"):
        found["page"] = page_of(shown)
    if not hasattr(shown, "plot") or isinstance(shown, Frontier):
        found["json"] = json.dumps(shown.to_dict())
    return {name: " ".join(text.split()) for name, text in found.items()}


def decision(folder: Path) -> tuple[Any, Worth | None]:
    one = job(folder, MEASURED)
    made = tried(one, instrument_of(one))
    return made, made.worth


def decision_release(folder: Path) -> tuple[Any, Worth | None]:
    made, told = decision(folder)
    return made.release(), told


def decision_from_file(folder: Path) -> tuple[Any, Worth | None]:
    made, told = decision(folder)
    made.save(folder / "decision.json")
    return po.Decision.load(folder / "decision.json"), told


def instrument(folder: Path) -> tuple[Any, Worth | None]:
    one = job(folder, MEASURED)
    assert one.source is not None
    assert one.query is not None
    assert one.feasibility is not None
    assert one.domain is not None
    bare = instrument_of(one)
    asked = (one.source.designable, one.query, bare, one.feasibility)
    made = po.simulate_instrument(*asked, epsilons=())
    return made, made.worth


def frontier_of_decisions(folder: Path) -> tuple[Any, Worth | None]:
    one = job(folder, MEASURED)
    made = frontier(one, "epsilon", [1.0], decisions=True)
    return made, instrument(folder)[1]


def dry_run(folder: Path) -> tuple[Any, Worth | None]:
    one = job(folder, MEASURED)
    return rehearsed(prepare(one), one), decision(folder)[1]


PLACES = (
    decision, decision_release, decision_from_file, instrument, frontier_of_decisions, dry_run,
)  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("place", PLACES)
def test_every_place_shows_the_one_verdict(
    folder: Path, place: Callable[[Path], tuple[Any, Worth | None]]
) -> None:
    shown, told = place(folder)
    assert told is not None
    assert told.known
    for name, text in texts(shown).items():
        assert told.verdict in text, name


def test_a_domain_narrower_than_alpha_is_warned_of_in_every_place(folder: Path) -> None:
    one = job(folder, {**MEASURED, "alpha": "2.5", "epsilon": "50"})
    bare = instrument_of(one)
    made = tried(one, bare)
    assert made.worth.narrow == ("d[0]",)
    for shown in (bare, made):
        assert "narrower than alpha for d[0]" in " ".join(shown.summary().split())
        assert "narrower than alpha for d[0]" in page_of(shown)
    ready = prepare(one)
    assert any("narrower than alpha" in text for text in ready.poor)
