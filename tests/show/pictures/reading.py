"""Pictures as a test reads them: parsed as XML, by a parser that is not ours."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from privopt.show.pictures.picture import Picture

EVIL = "</svg><script>alert(1)</script>\x1b\u202e&\"'"
SVG = "{http://www.w3.org/2000/svg}"


def read(text: str) -> ET.Element:
    """An element that we wrote ourselves."""
    return ET.fromstring(text)  # noqa: S314 -- it is ours


def parsed(picture: Picture) -> ET.Element:
    """The picture's element; it is sound XML, has a name for who does not see it, and no script."""
    for text in (picture.svg, picture.alone()):
        root = read(text)
        assert root.tag == f"{SVG}svg"
        assert root.get("role") == "img"
        assert root.get("aria-label")
        assert not [one for one in root.iter() if "script" in one.tag.lower()]
        assert not [name for one in root.iter() for name in one.attrib if name.startswith("on")]
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    return read(picture.svg)


def dots(root: ET.Element) -> list[tuple[float, float]]:
    """The centres of all circles."""
    return [(float(one.attrib["cx"]), float(one.attrib["cy"])) for one in root.iter(f"{SVG}circle")]


def words(root: ET.Element) -> list[str]:
    """All that is written."""
    return [one.text or "" for one in root.iter(f"{SVG}text")]


def hovers(root: ET.Element) -> list[str]:
    """All that is shown when something is pointed at; without the title of the picture."""
    return [one.text or "" for one in root.iter(f"{SVG}title")][1:]


def reaches(picture: Picture) -> list[list[tuple[float, float]]]:
    """For each row of intervals, value and reach of each mark, as they are said on hover."""
    found = [re.findall(r"([-\d.e+]+) ± ([-\d.e+]+)", text) for text in hovers(parsed(picture))]
    return [[(float(value), float(reach)) for value, reach in row] for row in found if row]


def tick(root: ET.Element, text: str, which: int = 0) -> tuple[float, float]:
    """Where the first text like this is written, or a later one; the axis across comes first."""
    one = [one for one in root.iter(f"{SVG}text") if one.text == text][which]
    return float(one.attrib["x"]), float(one.attrib["y"])
