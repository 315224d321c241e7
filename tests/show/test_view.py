"""One description of a result: the terminal, the notebook, the page and the text tell the same."""

from __future__ import annotations

import io
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console
from tests.show.test_results import MADE

from privopt.cli.view import print_view
from privopt.report.sheet import sheet
from privopt.show.view import PRIVATE, Fact, Table, View


class Words(HTMLParser):
    """What a reader sees of a page: no tags, no styles, no scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self._hidden = "", False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._hidden = tag in ("style", "script")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False
        self.text += " "

    def handle_data(self, data: str) -> None:
        self.text += "" if self._hidden else data


def printed(view: View) -> str:
    console = Console(file=io.StringIO(), width=1000, highlight=False)
    print_view(console, view)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def everywhere(view: View) -> dict[str, str]:
    shown = {
        "text": view.text(),
        "notebook": Words(view.html()).text,
        "terminal": printed(view),
        "page": Words(sheet(view)).text,
    }
    return {where: " ".join(text.split()) for where, text in shown.items()}


def told(view: View) -> list[str]:
    claims = () if view.guarantee is None else view.guarantee.both
    cells = [cell for row in view.table.cells(view.shown) for cell in row[:1]]
    return [
        *(fact.text for fact in view.facts),
        *view.warnings,
        *view.notes,
        *(text for _, claim in claims for text in (claim.label, claim.statement)),
        *view.table.columns,
        *cells,
    ]


@pytest.mark.long
@pytest.mark.parametrize("name", MADE)
def test_every_fact_of_a_result_is_told_wherever_it_is_shown(name: str, tmp_path: Path) -> None:
    view = MADE[name](tmp_path).view()
    said = told(view)
    assert len(said) > 2
    for where, text in everywhere(view).items():
        whole = "".join(text.split())  # long paths break anywhere
        missing = [one for one in said if "".join(one.split()) not in whole]
        assert not missing, where


def test_what_is_private_says_so_everywhere() -> None:
    view = View("Costs", Table("row", ["a"], {"x": [0.5]}), private=True)
    for where, text in everywhere(view).items():
        assert "PRIVATE" in text, where
        assert "for the curator" in text, where
    public = View("Costs", Table("row", ["a"], {"x": [0.5]}))
    assert not any("PRIVATE" in text for text in everywhere(public).values())
    assert PRIVATE.startswith("PRIVATE")


def test_figures_stand_on_a_page_alone() -> None:
    view = View("Release", facts=(Fact("charge", "epsilon 1", "ε = 1", "privacy loss"),))
    shown = everywhere(view)
    assert "ε = 1" in shown.pop("page")
    assert not any("ε = 1" in text for text in shown.values())


def test_a_table_is_printed_with_its_names_and_says_nothing_in_an_error() -> None:
    table = Table("sums", ["total", "each"], {"loss, %": [0.123456, None], "draws": ["fresh", ""]})
    assert str(table).splitlines() == [
        "  sums   loss, %  draws",
        "  total    0.123  fresh",
        "  each                 ",
    ]
    assert "0.123" not in repr(table)
