"""The page of a frontier: its pictures and its table."""

from __future__ import annotations

from privopt.app.frontier import Frontier
from privopt.report.curve import curve
from privopt.report.sheet import Picture, sheet

__all__ = ["page"]


def page(found: Frontier) -> str:
    """The page as text. That of plans is private, and says so."""
    where = "" if found.private else ", over the public domain"
    cost = f"Expected extra cost over the optimum without privacy{where}."
    losses = [(p.value, None if p.loss is None else 100 * p.loss) for p in found.points]
    pictures = (Picture("Loss", cost, "analytic", curve(losses, found.over, "loss, %")),)
    if not found.private:
        far = f"Expected distance of the release from the non-private answer{where}."
        distances = [(point.value, point.distance) for point in found.points]
        pictures += (Picture("Distance", far, "box", curve(distances, found.over, "distance")),)
    return sheet(found.view(), pictures)
