"""The legend of a map: round values in the unit, and nothing of what is not there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.show.pictures.reading import read

from privopt.show.pictures.map_legend import Meaning, half, map_legend

ALL = Meaning("MW", ("demand", "supply"), (True, True), 73.0, 16.0, "released", True, None)


def written(meaning: Meaning) -> list[str]:
    legend, _ = map_legend(meaning, 10.0, 400.0)
    return [one.text or "" for one in read(f"<g>{legend}</g>").iter("text")]


def test_it_has_what_there_is_at_a_round_value() -> None:
    assert written(ALL)[:3] == ["demand, 50 MW", "supply, 50 MW", "released"]
    assert any("loading" in text for text in written(ALL))
    bare = replace(ALL, has=(True, False), ring="", loads=False)
    assert written(bare) == ["demand, 50 MW"]
    assert written(replace(bare, largest=0.0)) == []


def test_it_takes_more_lines_where_it_is_narrow() -> None:
    assert map_legend(ALL, 0.0, 150.0)[1] > map_legend(ALL, 0.0, 400.0)[1]


@pytest.mark.parametrize(
    ("sweep", "path"), [(0, "M 5 2 A 3 3 0 0 0 5 8 Z"), (1, "M 5 2 A 3 3 0 0 1 5 8 Z")]
)
def test_half_a_disc(sweep: int, path: str) -> None:
    assert half(5, 5, 3, sweep) == path
