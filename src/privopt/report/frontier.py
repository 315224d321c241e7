"""The page of a frontier: its picture and its table."""

from __future__ import annotations

from privopt.app.frontier import Frontier, Point
from privopt.report.curve import curve
from privopt.report.settings import Grid
from privopt.report.sheet import Picture, Sheet, render

__all__ = ["page"]


def page(found: Frontier) -> str:
    """The page as text. That of plans is private, and says so."""
    what = "plans" if found.private else "policies"
    columns = ("cost", "loss, %") + (() if found.private else ("distance", "noise level s"))
    rows = tuple((f"{point.value:g}", _cells(point, found.private)) for point in found.points)
    none = sum(point.status != "solved" for point in found.points)
    notices: tuple[str, ...] = ()
    if found.private:
        notices += ("PRIVATE: the costs of plans depend on d. This page is for the curator.",)
    if none:
        notices += (f"No {what} at {none} of {len(found.points)} values (crosses).",)
    where = "" if found.private else ", over the public domain"
    cost = f"Expected extra cost over the optimum without privacy{where}."
    losses = [(p.value, None if p.loss is None else 100 * p.loss) for p in found.points]
    pictures = (Picture("Loss", cost, "analytic", curve(losses, found.over, "loss, %")),)
    if not found.private:
        far = f"Expected distance of the release from the non-private answer{where}."
        distances = [(point.value, point.distance) for point in found.points]
        pictures += (Picture("Distance", far, "box", curve(distances, found.over, "distance")),)
    return render(
        Sheet(
            title=f"{what.capitalize()} over {found.over}",
            lead=f"What privacy costs as {found.over} changes and all else stays as it is.",
            notices=notices,
            pictures=pictures,
            tables=(Grid(f"by {found.over}", columns, rows),),
        )
    )


def _cells(point: Point, private: bool) -> tuple[str, ...]:
    if point.cost is None:
        return (point.status, "", *(() if private else ("", "")))
    loss = "" if point.loss is None else f"{100 * point.loss:.4g}"
    cells = (f"{point.cost:.6g}", loss)
    if private:
        return cells
    return (*cells, f"{point.distance:.4g}", f"{point.level:.4g}")
