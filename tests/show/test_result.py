"""What all results have follows from their view; a private one shows itself only when asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from privopt.show.result import PrivateResult, Result, unseen
from privopt.show.view import Fact, Table, View


@dataclass(frozen=True)
class Weighed(Result):
    """A result with one value for each name."""

    values: tuple[float, ...] = (1.25, 2.5)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{len(self.values)} values>)"

    def view(self) -> View:
        table = Table("name", [f"<{k}>" for k in range(len(self.values))], {"kg": self.values})
        return View("Weights", table, (Fact("total", f"{sum(self.values):g}"),))

    def plot(self) -> Any:
        return self.values


class Hidden(PrivateResult, Weighed):
    """The same of private data."""


def test_words_table_and_page_are_those_of_the_view() -> None:
    made = Weighed()
    assert made.summary() == made.view().text()
    assert made._repr_html_() == made.view().html()
    assert "3.75" in made.summary()
    frame = made.to_pandas()
    assert frame["kg"].to_dict() == {"<0>": 1.25, "<1>": 2.5}
    assert frame.index.name == "name"


def test_a_private_one_tells_the_same_to_whoever_asks() -> None:
    assert Hidden().summary() == Weighed().summary()
    assert Hidden().to_pandas().equals(Weighed().to_pandas())


def test_a_private_one_shows_no_value_by_itself() -> None:
    shown = Hidden()._repr_html_()
    assert "1.25" not in shown
    assert "3.75" not in shown
    assert "Hidden(&lt;2 values&gt;)" in shown
    assert ".summary()" in shown
    assert shown == unseen(Hidden())


@pytest.mark.parametrize("left_out", ["view", "plot"])
def test_a_result_must_have_a_view_and_a_picture(left_out: str) -> None:
    parts = {name: getattr(Weighed, name) for name in ("view", "plot") if name != left_out}
    half: Any = type("Half", (Result,), parts)
    with pytest.raises(TypeError, match=left_out):
        half()
