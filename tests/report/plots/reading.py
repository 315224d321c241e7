"""A picture read back: its elements by class, its words, and what is said on hover."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, fromstring

from privopt.show.pictures.picture import Picture

SVG = "{http://www.w3.org/2000/svg}"


def drawn(picture: Picture) -> Element:
    """The picture as a tree: it is well-formed."""
    return fromstring(picture.svg)  # noqa: S314 -- we made it


def of_class(tree: Element, name: str) -> list[Element]:
    """The elements of a class, in their order."""
    return [one for one in tree.iter() if name in (one.get("class") or "").split()]


def texts(tree: Element) -> list[str]:
    """What is written."""
    return ["".join(one.itertext()) for one in tree.iter(f"{SVG}text")]


def hovers(tree: Element) -> list[str]:
    """What is said of marks on hover; not the title of the picture."""
    return [one.text or "" for one in tree.iter(f"{SVG}title")][1:]


def places(one: Element) -> list[tuple[float, float]]:
    """Where the steps "M x y" of a path lie."""
    found = re.findall(r"M ?(-?[\d.]+) (-?[\d.]+)", one.get("d") or "")
    return [(float(x), float(y)) for x, y in found]


def circles(tree: Element) -> Iterator[tuple[float, float, float]]:
    """Places and radii of the circles."""
    for one in tree.iter(f"{SVG}circle"):
        yield float(one.get("cx", 0)), float(one.get("cy", 0)), float(one.get("r", 0))
