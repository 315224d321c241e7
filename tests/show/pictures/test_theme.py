"""Colours: those of the page, and of a picture alone."""

from __future__ import annotations

import re
from importlib.resources import files

from privopt.show.pictures.theme import COLOURS, colour, stylesheet


def test_the_page_has_the_same_colours() -> None:
    sheet = (files("privopt.report") / "page.css").read_text()
    found = dict(re.findall(r"--([\w-]+): light-dark\((.*?)\);", sheet))
    for name, pair in COLOURS.items():
        assert found[name] == ", ".join(pair), name


def test_a_picture_brings_the_colours_that_it_names() -> None:
    assert colour("ink") == "var(--ink)"
    assert "--ink:light-dark(#1c2126,#e8e8e4)" in stylesheet({"ink"})
    assert "--bad" not in stylesheet({"ink"})
