"""Pages to publish: they hold the release and nothing else, work offline, and quote safely."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import privopt as po
from privopt.app.frontier import Frontier, FrontierPoint
from privopt.claims.worth import Worth
from privopt.errors import InputError
from privopt.mechanisms.plan import Plan
from privopt.report.sheet import frontier_page as page
from privopt.report.sheet import page_of, publication

EVIL = "</script><script>alert(1)</script>"


PROGRAM = po.ConvexProgram(
    linear=[1.0, 2.0], quadratic=[0.1, 0.1], G=[[1, 1]], lower=0, upper=4,
    names=[EVIL, "y"], data_names=[f"d{EVIL}"],
)  # fmt: skip
NOISE, KEPT = po.Laplace(epsilon=1.0, alpha=0.05), po.ExactBox(eta=0.05)


def plan(d: float) -> Plan:
    return po.solve(PROGRAM.at([d]), po.Identity([0]), NOISE, KEPT)


def safe(text: str) -> str:
    """The page without its scripts and styles, which must be ours alone."""
    scripts = re.findall(r"<script.*?</script>", text, flags=re.DOTALL)
    assert len(scripts) == 1
    assert not any("alert(1)" in script for script in scripts)
    rest = re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL)
    assert not re.search(r"(src|href)=[\"'](?!#|data:)", rest)
    return rest


def test_a_release_on_a_page(tmp_path: Path) -> None:
    with po.Ledger(tmp_path / "a.ledger", po.Budget(1), dataset=EVIL) as ledger:
        release = plan(4.012345).release(ledger=ledger, key="may")
    release.save(tmp_path / "release.json")
    text = publication(tmp_path / "release.json")
    shown = safe(text)
    assert f"{release.values[0]:.8g}" in shown
    assert release.ledger is not None
    assert release.ledger.digest in shown
    assert release.guarantee.privacy.because.split("||")[0] in shown
    assert "4.012" not in shown
    assert len(text) < 40_000  # no plotly: the picture is drawn here
    assert shown.index("<svg") < shown.index(">In short</h2>") < shown.index("What is claimed")
    assert text == page_of(po.Release.load(tmp_path / "release.json"))


def test_an_uncounted_release_says_so() -> None:
    assert "No ledger counted" in safe(page_of(plan(4.0).release()))


def test_what_was_measured_and_decided_on_a_page(tmp_path: Path) -> None:
    box = po.Box(3.0, 5.0)
    instrument = po.Instrument({EVIL: [0]}, program=PROGRAM, privacy=NOISE, domain=box)
    measured = instrument.measure([4.012345])
    decision = po.decide(PROGRAM, po.Identity([0]), measured, KEPT)
    for thing in (instrument, measured, decision):
        thing.save(tmp_path / "x.json")
        shown = safe(publication(tmp_path / "x.json"))
        assert "PROVEN" in shown
        assert "4.012345" not in shown
    assert f"{decision.values[0]:.8g}" in shown
    assert "No ledger counted" in safe(page_of(measured))


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"privopt": "plan"}', '{"privopt": []}', "\xff"]
)
def test_what_is_neither_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match="neither|could not be read"):
        publication(tmp_path / "x.json")
    with pytest.raises(InputError, match="could not be read"):
        publication(tmp_path / "none.json")


def test_a_frontier_on_a_page() -> None:
    points = (
        FrontierPoint(0.1, "infeasible"),
        FrontierPoint(1.0, "solved", completed=0.009, worth=Worth.of_all(0.2, 0.3, 1.0)),
    )
    text = page(Frontier("epsilon", False, points))
    shown = safe(text)
    assert "infeasible" in shown
    assert "PRIVATE" not in shown
    assert shown.count("<svg") == 2
    assert len(text) < 50_000  # no plotly: the pictures are drawn here
    assert shown.count("dasharray") == 1  # the mean answer
    assert "the mean answer: distance 0.3" in shown
    constant = FrontierPoint(0.0, "solved", completed=0.15, worth=Worth.of_all(0.3, 0.3, 0.0))
    beside = safe(page(Frontier("epsilon", False, points, constant)))
    assert beside.count("stroke-dasharray") == 3
    assert "the constant: completed loss, % 15" in beside
    plans = (FrontierPoint(0.1, "failed"), FrontierPoint(1.0, "solved", 5.0, None))
    assert "PRIVATE" in safe(page(Frontier("eta", True, plans)))
    assert safe(page(Frontier("eta", True, (FrontierPoint(0.1, "infeasible"),)))).count("<svg") == 1
