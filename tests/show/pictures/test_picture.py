"""A picture: on a page in its colours, alone with its own; saved as SVG or as a page."""

from __future__ import annotations

from pathlib import Path

from tests.show.pictures.reading import EVIL, SVG, parsed, read

from privopt.show.pictures.marks import mark
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.theme import COLOURS

MADE = Picture(EVIL, f"told {EVIL}", 100, 50, mark("dot", 1, 2, ink="bad", text=EVIL), EVIL)


def test_it_is_named_and_hostile_names_are_text() -> None:
    root = parsed(MADE)
    assert "alert(1)" in root.attrib["aria-label"]
    assert [one.tag for one in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root.get("viewBox") == "0 0 100 50"
    assert "<script" not in MADE._repr_html_() + MADE._repr_svg_()
    assert "told" not in repr(MADE)  # of a private result, the description has values


def test_alone_it_has_the_colours_that_it_uses_and_no_others() -> None:
    style = next(read(MADE.alone()).iter(f"{SVG}style")).text or ""
    light, dark = COLOURS["bad"]
    assert f"--bad:light-dark({light},{dark});" in style
    assert "--accent" not in style
    assert "<style" not in MADE.svg


def test_it_is_saved_as_a_picture_or_a_page(tmp_path: Path) -> None:
    assert read(MADE.save(tmp_path / "x.svg").read_text()).tag == f"{SVG}svg"
    page = MADE.save(tmp_path / "x.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "<script" not in page
    assert page.count("<svg") == 1
