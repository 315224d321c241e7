"""Who is protected, in words."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from privopt.digits import exactly

__all__ = ["Change", "RelationWords", "words"]

Change: TypeAlias = Literal["each", "total"]


class RelationWords:
    """The sentences of a relation; see `neighbours.Neighbours`, whose numbers these are."""

    change: Any
    plain: Any
    largest: Any
    least: Any
    together: Any

    @property
    def words(self) -> str:
        """Data that differ so, in words."""
        return words(self.largest, self.least, self.together, self.change)

    def hidden(self, unit: str = "") -> str:
        """What stays hidden, in words, with the unit of alpha where it is known."""
        if self.plain:
            return f"a change of one private entry by {exactly(self.largest)}{unit and f' {unit}'}"
        found = words(self.largest, self.least, self.together, self.change, unit)
        return f"which of two: {found}"


def words(alpha: float, least: float, together: int, change: Change, unit: str = "") -> str:
    """Neighbours in words; `together`: how many entries an owner has at most, 0 for all.

    `unit` is that of alpha, where it is known.
    """
    public, of = "" if least else "; an entry of alpha 0 is not protected", f" {unit}" * bool(unit)
    amount = f"its alpha ({exactly(least)} to {exactly(alpha)}{of}{public})"
    if alpha == least:
        amount = f"{exactly(alpha)}{of}"
    if together == 1:
        return f"data that differ in one private entry by at most {amount}"
    most = f"the private entries of one owner (at most {together})"
    where = f"data that differ in {most if together else 'any private entries'}"
    if change == "each":
        return f"{where}, each by at most {amount}"
    if alpha == least:
        return f"{where}, in total by at most {amount}"
    return f"{where}; their changes, each as a part of {amount}, add up to at most 1"
