"""`privopt advise`: one page of advice, from public data alone; a ledger is only read."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import PROGRAM, flat, run, shown
from tests.cli.test_choose import D, job
from tests.ledger.requests import request

import privopt as po

__all__ = ["job"]


@pytest.fixture
def kept(folder: Path, job: Path) -> Path:
    """Where the job keeps what it chose."""
    text = job.read_text()
    job.write_text(text + '\n[output]\ninstrument = "kept.json"\n')
    run("choose chosen.toml")
    return folder / "kept.json"


@pytest.mark.long
def test_the_page_and_the_terminal_say_the_same(
    folder: Path, job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privopt.mechanisms.measured.choosing.epsilons_of", lambda *_: (8.0,))
    ledger = "--ledger l.ledger --limit 2.5"
    found = shown("advise chosen.toml", ledger, "--out advice.html")
    assert (found["fits"], found["private"], found["page"]) == (2, False, "advice.html")
    assert found["left"] == {"epsilon": "2.5", "delta": "0"}
    page = flat((folder / "advice.html").read_text())
    said = flat(run("advise chosen.toml", ledger).stdout)
    for text in (found["verdict"], "of what varies in the answers", "PROVEN", "PUBLIC"):
        assert text in said
    for text in (found["verdict"], "Cost by epsilon", "Distance by epsilon", "SAMPLED"):
        assert text in page
    assert not (folder / "l.ledger").exists()
    assert not any(str(value)[:6] in page + said for value in D)


def test_it_says_what_the_library_finds(folder: Path, job: Path) -> None:
    """The same simulated loss and worth; one share of what varies behind verdict and numbers."""
    program = po.PublicProgram.load("program.json").program
    noise, box = po.Laplace(epsilon=1.0, alpha=0.05), po.Box(2.0, 6.0)
    each = {name: [name] for name in ("north", "south")}
    made = po.Instrument(each, program=program, privacy=noise, domain=box)
    alone = po.simulate_instrument(program, po.Identity(["coal"]), made, po.ExactBox(eta=0.05))
    found = shown("advise chosen.toml --measure each")
    assert alone.worth is not None
    assert alone.table is not None
    assert (found["loss"], found["values"]) == (alone.loss, alone.worth.to_dict())
    assert found["loss_of_constant"] == pytest.approx(
        alone.table.columns["loss, %"][list(alone.table.rows).index("nothing")] / 100
    )
    assert (found["measure"], found["epsilon"]) == (["north", "south"], 1.0)
    assert (found["fits"], found["left"]) == (None, None)
    share = 1 - ((alone.distance or math.nan) / (alone.spread or math.nan)) ** 2
    assert found["tells"] == pytest.approx(share)
    assert f"{alone.table.columns['tells, %'][0]:g}%" in found["verdict"]
    said = flat(run("advise chosen.toml --measure each").stdout)
    assert found["verdict"] in said
    assert "(on average over simulated measurements)" in said


def test_what_was_chosen_before_is_taken(job: Path, kept: Path) -> None:
    again = run("advise chosen.toml")
    made = po.Instrument.load(kept)
    assert "as chosen before in" in again.stderr
    assert made.comparison is not None
    assert shown("advise chosen.toml")["loss"] == made.comparison["loss"]


def test_what_was_chosen_for_another_query_is_simulated_anew(
    folder: Path, job: Path, kept: Path
) -> None:
    """The numbers are those of a job that was never asked about anything else."""
    content = kept.read_bytes()
    sums = po.Instrument.load(kept).comparison
    assert sums is not None
    said = run("advise chosen.toml --identity gas")
    assert "It was chosen for coal." in said.stderr
    assert "chosen for coal, and were simulated anew" in flat(said.stdout)
    found = shown("advise chosen.toml --identity gas")
    assert found["chosen_for"] == "coal"
    assert found["values"]["errors"] != sums["errors"]
    bare = json.loads(content)
    del bare["comparison"]
    (folder / "bare.json").write_text(json.dumps(bare))
    alone = shown("advise chosen.toml --identity gas --measure bare.json")
    assert found["values"] == alone["values"]
    assert found["loss"] == alone["loss"]
    assert kept.read_bytes() == content
    assert shown("advise chosen.toml --eta 0.2")["chosen_for"].startswith("the same")
    old = json.loads(content)
    for name in ("asked", "errors", "spreads"):  # a file of before
        del old["comparison"][name]
    kept.write_text(json.dumps(old))
    assert shown("advise chosen.toml")["chosen_for"] == "a question that its file does not name"


@pytest.mark.parametrize(
    ("shares", "half", "bound"),
    [({0.25: 0.76, 1.0: 0.98}, "below epsilon 0.25, the least that was simulated", True),
     ({0.25: 0.2, 1.0: 0.98}, "at about epsilon 0.", False)],
)  # fmt: skip
def test_half_that_is_told_at_the_least_epsilon_is_told_below_it(
    job: Path, kept: Path, shares: dict[float, float], half: str, bound: bool
) -> None:
    data = json.loads(kept.read_text())
    found = data["comparison"]
    point = next(one for one in found["curve"]["points"] if one["epsilon"] == 1.0)
    none = dict.fromkeys(("loss", "loss_error", "distance", "distance_error"))
    points = [{**point, **none, "epsilon": 0.0, "decisions": 0, "without": 1}]
    points += [
        {**point, "epsilon": epsilon, "distance": math.sqrt(1 - share)}
        for epsilon, share in shares.items()
    ]
    found["curve"]["points"] = points
    found |= {"distance": points[-1]["distance"], "spread": 1.0, "spreads": [1.0]}
    found["errors"] = [found["distance"]]
    kept.write_text(json.dumps(data))
    told = shown("advise chosen.toml")
    assert told["epsilon_for_half_is_bound"] is bound
    assert told["values"]["epsilon_for_half_is_bound"] is bound
    assert (told["epsilon_for_half"] == 0.25) is bound
    assert half in flat(run("advise chosen.toml").stdout)


def with_wind(upper: float) -> None:
    """A fourth variable, dearer than all others, of this capacity."""
    program = PROGRAM | {
        "linear": [1.0, 2.0, 3.0, 9.0], "quadratic": [0.3, 0.3, 0.3, 0.0], "unit": "MW",
        "G": [[1, 1, 0, 1], [0, 0, 1, 0]], "upper": [9, 9, 9, upper],
        "names": ["coal", "gas", "hydro", "wind"], "data_names": ["north", "south"],
    }  # fmt: skip
    Path("program.json").write_text(json.dumps(program))


@pytest.mark.parametrize(
    ("upper", "says"), [(0.0, "whatever the data are: it has no room."), (5.0, "over the whole")]
)
def test_a_value_that_is_a_constant_costs_nothing(job: Path, upper: float, says: str) -> None:
    """Without room, or too dear to run at any data of the domain."""
    with_wind(upper)
    asked = "--measure each --upper 4 --identity"
    found = shown("advise chosen.toml", asked, "coal,wind")
    assert (found["keep"], found["leave_out"], found["constant"]) == (["coal"], [], {"wind": 0.0})
    assert f"wind is 0 MW {says}" in found["verdict"]
    same = shown("advise chosen.toml", asked, "wind")
    publish = "The answer is the same over the whole domain: publish it without privopt. wind is 0"
    assert same["verdict"].startswith(publish)
    assert (same["keep"], same["leave_out"], same["epsilon"]) == ([], [], 0.0)
    assert same["charge"]["epsilon"] == "0"
    said = run("advise chosen.toml", asked, "wind").stdout
    assert "rontier" not in said


def test_what_is_not_worth_its_epsilon_is_said(folder: Path, job: Path) -> None:
    poor = shown("advise chosen.toml --measure each --epsilon 1e-3")
    assert poor["verdict"].startswith("Do not spend epsilon 0.001")
    assert poor["leave_out"] == ["coal"]
    assert poor["tells"] < 0.1
    free = shown("advise chosen.toml --measure nothing --ledger l --limit 1")
    assert free["verdict"].startswith("Release the constant")
    assert (free["charge"]["epsilon"], free["fits"], free["leave_out"]) == ("0", None, [])
    assert not (folder / "l").exists()


def test_it_counts_how_often_the_charge_fits_what_is_left(folder: Path, job: Path) -> None:
    """In exact units: nine tenths are left of one, in which 0.3 fits three times."""

    def asked(words: str) -> Any:
        found = shown("advise chosen.toml --measure each --ledger loads.ledger", words)
        return found["fits"], found["left"]["epsilon"], (found["spent"] or {}).get("epsilon")

    assert asked("--epsilon 0.3 --limit 0.9")[:2] == (3, "0.9")
    assert not (folder / "loads.ledger").exists()
    with po.Ledger("loads.ledger", limit=po.Budget(1)) as ledger:
        ledger.charge(request("0.1"), lambda _: b"x")
    before = (folder / "loads.ledger").read_bytes()
    assert asked("--epsilon 0.3") == (3, "0.9", "0.1")
    assert asked("--epsilon 1") == (0, "0.9", "0.1")
    assert (folder / "loads.ledger").read_bytes() == before
    said = flat(run("advise chosen.toml --measure each --ledger loads.ledger").stdout)
    assert "does not fit what is left of the budget, epsilon 0.9" in said


def test_values_that_follow_from_the_data_are_named_before_anything_is_simulated(job: Path) -> None:
    said = run("advise chosen.toml --identity coal,gas", code=2).stderr
    assert "coal + gas follows from the private data alone" in flat(said)
    assert "north" in said  # the equality that fixes them
    assert "simulated decisions" not in said


@pytest.mark.parametrize(
    "words",
    [
        "advise chosen.toml", "frontier chosen.toml --values 1,2", "report program.json",
        "audit --instrument none.json", "demo --runs 1",
    ],
)  # fmt: skip
def test_the_extra_of_pages_is_looked_for_before_the_work(
    folder: Path, job: Path, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is simulated, chosen or written where the page could not be made."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    before = sorted(folder.iterdir())
    said = run(words, "--out page.html", code=2).stderr
    assert "jinja2 is not installed" in said
    assert "[report]" in said
    assert "simulated" not in said
    assert sorted(folder.iterdir()) == before
