"""What the pictures of experiments share: signs, the cube-root axis, lines with words."""

from __future__ import annotations

import pytest
from tests.report.plots.reading import drawn, texts

from privopt.report.methods import method
from privopt.report.plots.style import limit_line, percent, root_axis, sign
from privopt.show.pictures.frame import Canvas
from privopt.show.pictures.picture import Picture


@pytest.mark.parametrize(("top", "eta"), [(100.0, 2.5), (3.0, None), (0.4, 0.1), (1000.0, 50.0)])
def test_a_cube_root_axis_has_zero_and_a_tick_for_each_number_but_eta(
    top: float, eta: float | None
) -> None:
    box = Canvas()
    axis = root_axis("violation, %", top, box, eta)
    shown = [float(text) for _, text in axis.marked]
    heights = [place for place, _ in axis.marked]
    assert shown[0] == 0.0
    assert eta not in shown
    assert max(shown) <= 1.05 * top
    assert box.y[0] > axis.scale.at(0.0) > axis.scale.at(top) > box.y[1]
    each = (heights[0] - axis.scale.at(top)) / top ** (1 / 3)
    for value, height in zip(shown, heights, strict=True):
        assert heights[0] - height == pytest.approx(each * value ** (1 / 3), abs=0.2)
    assert len(root_axis("", top, box, sparse=True).marked) <= len(root_axis("", top, box).marked)


def test_a_line_has_its_words_and_hover() -> None:
    tree = drawn(Picture("", "", 480, 300, limit_line(Canvas(), 100.0, "η < 3 %")))
    assert texts(tree) == ["η < 3 %"]


def test_only_open_signs_are_hollow() -> None:
    assert 'fill="var(--ground)"' in sign(method("PIQ-a"), 1, 2)
    assert 'fill="var(--sampled)"' in sign(method("PIQ-s"), 1, 2)
    assert 'fill="none"' in sign(method("OP"), 1, 2)
    assert 'fill="var(--ground)"' in sign(method("something new"), 1, 2)


def test_percentages_have_two_decimals() -> None:
    assert percent(None) == "none"
    assert percent(1.005) == "1.00 %"
