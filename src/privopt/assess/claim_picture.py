"""The epsilon that is claimed beside the one that releases have shown, as a picture.

What was shown is a bound from below: the bar ends where the true epsilon begins. A bar beyond the
line of the claim refutes it.
"""

from __future__ import annotations

from privopt.show.pictures.frame import Axis, Canvas, grid
from privopt.show.pictures.picture import Picture
from privopt.show.pictures.scale import Scale
from privopt.show.pictures.shapes import bar, line
from privopt.show.pictures.svg import group, joined, label, title
from privopt.show.pictures.theme import colour

__all__ = ["claim_picture"]

_BAR, _ROW = 20.0, 40.0


def claim_picture(
    shown: dict[str, float], claimed: float | None, name: str, caption: str
) -> Picture:
    """Bars of what was shown, by name; the claim as a line through them."""
    box = Canvas(460, 76 + _ROW * len(shown), 118, 16, 26, 48)
    largest = max([*shown.values(), claimed or 0.0, 0.1])
    across = Scale(0.0, 1.25 * largest, *box.x)
    parts = [grid(box, Axis(across, "epsilon (privacy loss)"), Axis(Scale(0, 1, *box.y), ticks=()))]
    for k, (what, value) in enumerate(shown.items()):
        y = box.top + 4 + _ROW * k
        beyond = claimed is not None and value > claimed
        ink = "bad" if beyond else "analytic"
        end = across.at(value)
        words = f"at least {value:.3g}"
        inside = end - across.start > 90
        written = {"fill": colour("ground" if inside else "ink")}
        at = (end - 6, "end") if inside else (end + 6, "start")
        parts.append(
            group(
                title(f"{what}: {words}"),
                label(what, box.left - 8, y + 19, "end"),
                bar(across.start, y + 5, max(end - across.start, 1.5), _BAR, ink),
                label(words, at[0], y + 19, at[1], **written),
                class_="shown",
            )
        )
    if claimed is not None:
        x, (bottom, top) = across.at(claimed), box.y
        parts.append(line([(x, top), (x, bottom)], "ink", 2.2, "5 4", f"claimed: {claimed:.6g}"))
        parts.append(label(f"claimed: {claimed:.3g}", x, top - 8, font_weight=650))
    told = "; ".join(f"{what}: epsilon is at least {value:.3g}" for what, value in shown.items())
    behind = "nothing is claimed" if claimed is None else f"claimed is {claimed:.6g}"
    return Picture(name, f"{told}; {behind}.", box.width, box.height, joined(*parts), caption)
