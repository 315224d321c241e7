"""The picture of the house: `python -m docs.pictures.house` writes house.svg beside it.

Drawn from the imports of the source, lazy ones counted: a room stands below every room it imports,
and a line leads to those that no other line leads to. A test draws it again and compares.
"""

from __future__ import annotations

import ast
import html
from pathlib import Path

from docs.pictures.dark import follows_dark

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src" / "privopt"
WIDE, HIGH, GAP, EDGE = 264, 46, 32, 12
KERNEL = ("kernel", "noise")  # what measures d, and what draws the noise


def imports(source: Path = SOURCE) -> dict[str, set[str]]:
    """The rooms that each room imports."""
    rooms = sorted(path.parent.name for path in source.glob("*/__init__.py"))
    found: dict[str, set[str]] = {room: set() for room in rooms}
    for room in rooms:
        for path in (source / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                for name in _named(node):
                    whole, _, other = name.partition(".")
                    other = other.partition(".")[0]
                    if whole == "privopt" and other in found and other != room:
                        found[room].add(other)
    return found


def _named(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def behind(graph: dict[str, set[str]], room: str) -> set[str]:
    """Every room that a room needs, directly or not."""
    found: set[str] = set()
    waiting = [room]
    while waiting:
        new = graph[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def layers(graph: dict[str, set[str]]) -> list[list[str]]:
    """Rooms in rows, each below all that it imports."""
    depth: dict[str, int] = {}

    def place(room: str) -> int:
        if room not in depth:
            depth[room] = 1 + max((place(other) for other in graph[room]), default=-1)
        return depth[room]

    for room in graph:
        place(room)
    deepest = max(depth.values())
    return [sorted(room for room in graph if depth[room] == row) for row in range(deepest + 1)]


def sentence(room: str) -> str:
    """What a room is for: the beginning of its docstring, up to the colon or the stop."""
    text = ast.get_docstring(ast.parse((SOURCE / room / "__init__.py").read_text("utf-8"))) or ""
    first = text.splitlines()[0].rstrip(".")
    name, colon, rest = first.partition(": ")
    return (rest if colon else name).partition(". ")[0]


def picture() -> str:
    """The house as SVG."""
    graph = imports()
    rows = layers(graph)
    most = max(len(row) for row in rows)
    width = most * (WIDE + GAP) - GAP + 2 * EDGE
    at: dict[str, tuple[float, float]] = {}
    for level, row in enumerate(rows):
        start = (width - len(row) * (WIDE + GAP) + GAP) / 2
        # Below the rooms that it imports, as near as the row allows.
        order = sorted(row, key=lambda room: _middle(graph, at, room))
        for place, room in enumerate(order):
            at[room] = (start + place * (WIDE + GAP), EDGE + level * (HIGH + GAP))
    lines = [_line(at[other], at[room]) for room in graph for other in _shown(graph, room)]
    boxes = [_box(room, *at[room]) for room in graph]
    height = EDGE * 2 + len(rows) * (HIGH + GAP) - GAP
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        'font-family="sans-serif" font-size="12">'
    )
    return follows_dark("\n".join([head, *lines, *boxes, "</svg>", ""]))


def _shown(graph: dict[str, set[str]], room: str) -> list[str]:
    others = graph[room]
    return sorted(
        other for other in others if not any(other in behind(graph, third) for third in others)
    )


def _middle(graph: dict[str, set[str]], at: dict[str, tuple[float, float]], room: str) -> float:
    above = [at[other][0] for other in _shown(graph, room)]
    return sum(above) / len(above) if above else 0.0


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x0, y0), (x1, y1) = start, end
    x0, x1, y0 = x0 + WIDE / 2, x1 + WIDE / 2, y0 + HIGH
    bend = (y1 - y0) / 2
    return (
        f'<path d="M{x0:.0f},{y0:.0f} C{x0:.0f},{y0 + bend:.0f} {x1:.0f},{y1 - bend:.0f} '
        f'{x1:.0f},{y1:.0f}" fill="none" stroke="#90a4ae" stroke-width="1.5"/>'
    )


def _box(room: str, x: float, y: float) -> str:
    fill, edge = ("#d9efe9", "#00796b") if room in KERNEL else ("#ffffff", "#607d8b")
    middle, text = x + WIDE / 2, html.escape(sentence(room))
    return (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{WIDE}" height="{HIGH}" rx="6" fill="{fill}" '
        f'stroke="{edge}"/><text x="{middle:.0f}" y="{y + 19:.0f}" text-anchor="middle" '
        f'font-weight="bold">{room}/</text><text x="{middle:.0f}" y="{y + 36:.0f}" '
        f'text-anchor="middle" font-size="10.5" fill="#455a64">{text}</text>'
    )


if __name__ == "__main__":
    (HERE / "house.svg").write_text(picture(), encoding="utf-8")
