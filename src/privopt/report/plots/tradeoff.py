"""What the guarantee costs: mean loss across, mean violation up, one sign for each algorithm."""

from __future__ import annotations

from privopt.report.folder import ResultTable
from privopt.report.methods import Promise, method, promise
from privopt.report.plots.style import limit_line, percent, root_axis, sign
from privopt.report.records import TableRow
from privopt.show.pictures.frame import Axis, Canvas, grid
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scale import Scale
from privopt.show.pictures.shapes import band
from privopt.show.pictures.svg import Svg, element, joined, label, text_width
from privopt.show.pictures.theme import colour

__all__ = ["cheapest", "tradeoff"]

_BOX = Canvas(340, 250, 48, 12, 10, 44)
_LARGE = Canvas(460, 340, 54, 12, 10, 46)


def cheapest(table: ResultTable, case: str) -> TableRow | None:
    """The least mean loss among methods that promise all limits, keep to eta and never failed."""
    if table.eta is None:
        return None
    keep = [
        (row.loss.mean, row.algorithm, row)
        for row in table.of(case)
        if promise(row.algorithm, row.claims) is Promise.ALL
        and row.infeasible + row.failed == 0
        and row.loss is not None
        and row.violation is not None
        and row.violation.mean <= table.eta
    ]
    return min(keep, key=lambda item: item[:2])[2] if keep else None


def tradeoff(table: ResultTable, case: str, *, named: bool = False) -> Picture:
    """One case; all cases of a table share their axes, so that they can be read side by side.

    With `named`, the picture is larger, and the name of each algorithm stands beside its sign.
    """
    losses = [row.loss.mean for row in table.rows if row.loss]
    violations = [row.violation.mean for row in table.rows if row.violation]
    right = max([*losses, 1.0])
    top = max([*violations, table.eta or 0, 1.0])
    box, eta = _LARGE if named else _BOX, table.eta
    words = ("extra cost, % of the optimum", "releases that cannot be carried out, %")
    words = words if named else ("mean loss, %", "violation, %")
    room = 1.28 if named else 1.08
    across = Axis(Scale(-0.05 * right, room * right, *box.x), words[0])
    up = root_axis(words[1], top, box, eta, sparse=True)
    parts: list[Svg] = []
    if eta is not None:
        (left, end), (floor, _) = box.x, box.y
        y = up.scale.at(eta)
        parts.append(band([(left, y), (end, y), (end, floor), (left, floor)], "good"))
    parts.append(grid(box, across, up))
    if eta is not None:
        words = f"allowed: η = {eta:g} %" if named else f"η = {eta:g} %"
        parts.append(limit_line(box, up.scale.at(eta), words))
    best = cheapest(table, case)
    rows = [row for row in table.of(case) if row.violation]
    if best is not None:
        parts.append(_ring(best, across.scale, up.scale))
    parts += [_sign(row, across.scale, up.scale) for row in rows]
    if named:
        parts += _names(rows, across.scale, up.scale)
    told = "; ".join(_told(row) for row in rows)
    name = f"Mean loss against mean violation on {case}"
    return Picture(name, f"{told}.", box.width, box.height, joined(*parts))


def _place(row: TableRow, across: Scale, up: Scale) -> tuple[float, float]:
    """Where a method stands; one without a loss of its own at zero."""
    loss = row.loss.mean if row.loss else 0.0
    return across.at(loss), up.at(row.violation.mean if row.violation else 0.0)


def _told(row: TableRow) -> str:
    loss = f"loss {percent(row.loss.mean)}" if row.loss else "no loss of its own (drawn at 0)"
    violation = percent(row.violation.mean if row.violation else None)
    return f"{row.algorithm}: violation {violation}, {loss}"


def _sign(row: TableRow, across: Scale, up: Scale) -> Svg:
    text = [_told(row), str(promise(row.algorithm, row.claims))]
    if row.infeasible:
        text.append(f"infeasible in {row.infeasible} of {row.runs} runs")
    if row.failed:
        text.append(f"the solver failed in {row.failed} of {row.runs} runs")
    return sign(method(row.algorithm), *_place(row, across, up), 5.2, "; ".join(text))


def _names(rows: list[TableRow], across: Scale, up: Scale) -> list[Svg]:
    """Names beside the signs: right, left, above or below, where nothing stands yet."""
    signs = [_place(row, across, up) for row in rows]
    taken = [(x - 7, y - 7, x + 7, y + 7) for x, y in signs]
    found: list[Svg] = []
    for row, (x, y) in sorted(zip(rows, signs, strict=True), key=lambda one: one[1][1]):
        wide = text_width(row.algorithm, 12)
        choices = [
            ("start", x + 13, y + 4, x + 13),
            ("end", x - 13, y + 4, x - 13 - wide),
            ("middle", x, y - 13, x - wide / 2),
            ("middle", x, y + 21, x - wide / 2),
        ]
        boxes = [(left, base - 10, left + wide, base + 2) for _, _, base, left in choices]
        free = (k for k, one in enumerate(boxes) if not any(_meet(one, other) for other in taken))
        best = next(free, 0)
        anchor, at, base, _ = choices[best]
        taken.append(boxes[best])
        found.append(label(row.algorithm, at, base, anchor, class_="named"))
    return found


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether two rectangles (left, top, right, bottom) overlap."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _ring(row: TableRow, across: Scale, up: Scale) -> Svg:
    """A ring round the cheapest."""
    x, y = _place(row, across, up)
    ink = colour(method(row.algorithm).colour)
    return element(
        "circle", cx=x, cy=y, r=11, fill="none", stroke=ink, stroke_width=1.5, class_="best"
    )
