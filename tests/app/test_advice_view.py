"""How advice shows itself: captions speak of what is drawn, and distances have their unit."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from tests.app.test_advice import told_at
from tests.app.test_advising import job, made, quick, with_held

import privopt as po
from privopt.app.job import Job
from privopt.report.sheet import advice_page

__all__ = ["job", "quick"]


def test_a_caption_explains_the_lines_that_are_there(job: Job) -> None:
    """Where no constant can be completed, there is no dashed line, and that is said."""
    found = made(job)
    told = told_at(1.0, {0.25: 0.2, 1.0: 0.98}, 1.0)
    without = dataclasses.replace(found, instrument=found.instrument.compared(told))
    cost, far = without.pictures()
    assert "Dashed" not in cost.caption
    assert "No constant can be completed" in cost.caption
    assert "Above the line of the mean answer" in far.caption
    point = {"epsilon": 0.0, "loss": 0.2, "loss_error": None, "distance": 1.1, "decisions": 1,
             "distance_error": None, "without": 0}  # fmt: skip
    curve = {"even": 1.0, "points": [point, *told["curve"]["points"][1:]]}
    beside = found.instrument.compared({**told, "curve": curve})
    cost, _ = dataclasses.replace(found, instrument=beside).pictures()
    assert "Dashed: the constant" in cost.caption
    assert "stroke-dasharray" in cost.svg


def test_distances_have_their_unit_and_heads_are_explained(job: Job, tmp_path: Path) -> None:
    found = made(with_held(job, tmp_path, 0.0), query=po.Identity(["coal"]))
    tables = {table.title: table for table in found.view().more}
    for title, table in tables.items():
        if "distance" in " ".join(table.columns):
            assert "distance, MW" in table.columns, title
    assert "unit" in found.view().table.columns
    facts = {fact.name: fact.text for fact in found.instrument.view().facts}
    assert " MW expected" in facts["distance"]
    assert facts["simulated for"] == "coal"
    page = " ".join(advice_page(found).split())
    for word in ("Guess: what a candidate was screened by", "Draws: of the best", "led to no deci"):
        assert word in page
