"""Mean loss of each method, network by network, that with assumed privacy hatched."""

from __future__ import annotations

from privopt.report.plots.style import percent
from privopt.report.proofs import LOOKS, PRINTED, Proof, Proofs
from privopt.show.pictures.frame import Axis, Canvas, grid
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scale import Scale
from privopt.show.pictures.shapes import Fill, bar
from privopt.show.pictures.svg import Svg, element, group, joined, label, title
from privopt.show.pictures.theme import colour

__all__ = ["proofs"]

_SLOT, _GAP, _HEAD = 20.0, 9.0, 20.0  # of a bar; between networks; of a name
_BAR = 13.0
_ROOM = 2.4  # of the longest bar, for what is written beside it
_WIDTH, _LEFT = 440.0, 136.0


def proofs(found: Proofs) -> Picture:
    """Bars from top to bottom: PIQ-a as printed first, then what is proven."""
    shown = {case: _shown(found, case) for case in found.cases}
    high = sum(_HEAD + _GAP + _SLOT * len(rows) for rows in shown.values())
    box = Canvas(_WIDTH, high + 54, _LEFT, 8, 6, 48)
    longest = max([row.loss.mean for row in found.rows if row.loss] + [0.1])
    across = Scale(0.0, _ROOM * longest, *box.x)
    parts = [
        grid(
            box,
            Axis(across, "mean loss, % above the optimal cost"),
            Axis(Scale(0, 1, *box.y), ticks=()),
        )
    ]
    y = box.top
    for case, rows in shown.items():
        parts.append(label(case, 4, y + 14, "start", font_weight=650, class_="case"))
        y += _HEAD
        for row in rows:
            parts.append(_row(found, row, across, y))
            y += _SLOT
        y += _GAP
    told = "; ".join(
        f"{case}: "
        + ", ".join(
            f"{LOOKS[row.algorithm].label} {percent(row.loss.mean if row.loss else None)}"
            for row in rows
        )
        for case, rows in shown.items()
    )
    return Picture("Mean loss by network", f"{told}.", box.width, box.height, joined(*parts))


def _shown(found: Proofs, case: str) -> list[Proof]:
    rows = {row.algorithm: row for row in found.of(case)}
    return [rows[name] for name in LOOKS if name in rows]


def _row(found: Proofs, row: Proof, across: Scale, y: float) -> Svg:
    """A name, its bar, and what is written beside it."""
    look = LOOKS[row.algorithm]
    bound = found.bound(row.network) if row.algorithm == PRINTED else None
    refuted = bound is not None and bound.beyond > 0
    ink = "limit" if refuted else "ink" if row.loss else "muted"
    part = row.answered < row.runs  # a mean over some of the runs is drawn hollow
    fill: Fill = "hatched" if look.hatched else "hollow" if part else "full"
    end = across.at(max(row.loss.mean, 0.0)) if row.loss else across.start
    return group(
        title(_hover(row)),
        label(look.label, across.start - 7, y + 11, "end", fill=colour("muted")),
        bar(across.start, y, end - across.start, _BAR, look.colour, fill=fill)
        if end > across.start
        else Svg(""),
        _said(row, bound, end + 6, y + 11, ink),
        class_="proof",
    )


def _said(row: Proof, bound: Proof | None, x: float, y: float, ink: str) -> Svg:
    """What is written beside a bar: the loss, the true epsilon, and over which runs."""
    if row.loss is None:
        words = row.missing or "no answer"
        return element("text", words, x=x, y=y, fill=colour(ink), font_size=11)
    parts = [Svg(percent(row.loss.mean))]
    if bound is not None and bound.epsilon is not None:
        parts.append(
            element("tspan", f"true ε ≥ {bound.epsilon:.2f}", font_weight=650)
            if bound.beyond
            else Svg("ε assumed")
        )
    if row.answered < row.runs:
        parts.append(Svg(f"{row.answered} of {row.runs} runs"))
    return element("text", Svg(" · ".join(parts)), x=x, y=y, fill=colour(ink), font_size=11)


def _hover(row: Proof) -> str:
    parts = [f"{row.network}, {LOOKS[row.algorithm].label}, {row.privacy}"]
    if row.loss is not None:
        parts.append(f"loss {percent(row.loss.mean)}, PIQ-a on the same runs {percent(row.beside)}")
    if row.distance is not None:
        parts.append(f"distance {row.distance:.3g}")
    parts += [f"{count} of {row.runs} runs: {reason}" for reason, count in row.reasons]
    return "; ".join(parts)
