"""Units: what the numbers of a program are counted in, such as MW. Labels that go with them.

    data      of d, and so of alpha, the domain and measured sums
    values    of each variable of a program; of each value of a release
    cost      of the cost

A number in a file is the number that was released, and its label stands beside it. What is read
is converted where it says another unit of power than the program's: W, kW, MW and GW are powers of
ten of each other, so that this is exact. Per unit is the base of a network (`networks.rebased`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from privopt.arrays import Sparse
from privopt.errors import InputError
from privopt.plain import texts

__all__ = ["UnitLabels", "tens_between", "unit_of", "units_read"]

_TENS = {"W": 0, "kW": 3, "MW": 6, "GW": 9}
_LONGEST = 40  # characters of a label


@dataclass(frozen=True)
class UnitLabels:
    """What the numbers of a program, or of a release, are counted in: labels.

    Attributes
    ----------
    data
        Of d: of alpha, of the domain, and of sums of d.
    values
        Of each variable (of a release, of each value): one label for all, or one for each. An empty
        one says nothing.
    cost
        Of the cost.

    Examples
    --------
    >>> import privopt as po
    >>> program = po.ConvexProgram(linear=[1, 2], G=[[1, 1]], d=[3], lower=0, unit="m3/h")
    >>> program.units.data
    'm3/h'
    """

    data: str
    values: tuple[str, ...] | str = ""
    cost: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.values, str):
            object.__setattr__(self, "values", tuple(self.values))
        for label in {self.data, self.cost, *self.each(1)}:
            _check(label)
        if not self.data:
            raise _refused(self.data)

    def each(self, count: int) -> tuple[str, ...]:
        """The label of each of so many values."""
        return (self.values,) * count if isinstance(self.values, str) else self.values

    def of_rows(self, S: Sparse) -> UnitLabels:
        """The units of linear values S z: those of their variables, where these are all the same.

        The weights count as plain numbers.
        """
        labels, found = self.each(S.shape[1]), list[str]()
        for first, last in zip(S.indptr[:-1], S.indptr[1:], strict=True):
            own = {
                labels[int(j)]
                for j, weight in zip(S.indices[first:last], S.data[first:last], strict=True)
                if weight
            }
            found.append(own.pop() if len(own) == 1 else "")
        return UnitLabels(self.data, tuple(found), self.cost)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        alike = not isinstance(self.values, str) and len(set(self.values)) == 1
        values = self.values[0] if alike else self.values
        return {"data": self.data, "values": values if alike else _plain(values), "cost": self.cost}

    @classmethod
    def from_dict(cls, data: Any, size: int) -> UnitLabels:  # noqa: ANN401 -- plain data
        """The units of so many values that `to_dict` wrote; ValueError if they are none."""
        values = data["values"]
        each = (values,) * size if isinstance(values, str) else texts(values, size)
        own, cost = texts([data["data"], data["cost"]], 2)
        return cls(own, each, cost)


def _plain(values: tuple[str, ...] | str) -> str | list[str]:
    return values if isinstance(values, str) else list(values)


def units_read(given: Any, size: int, others: Sequence[str] = ()) -> UnitLabels | None:  # noqa: ANN401
    """The units of a program: a label for d and every variable, or `UnitLabels`; None stays None.

    `others` are "cost" or "data" for each variable that the program added to the user's.
    """
    if given is None:
        return None
    units = given if isinstance(given, UnitLabels) else UnitLabels(_check(given), given)
    each = units.each(size)
    if len(each) != size:
        raise InputError(
            f"{len(each)} units were given for {size} variables.",
            "one for all of them, or one for each.",
            "pass unit=privopt.UnitLabels(data=..., values=[...], cost=...).",
        )
    return UnitLabels(units.data, (*each, *(getattr(units, kind) for kind in others)), units.cost)


def unit_of(thing: object) -> str | None:
    """The unit of the data of a program, if it has one."""
    units: UnitLabels | None = getattr(thing, "units", None)
    return None if units is None else units.data


def _check(label: Any) -> str:  # noqa: ANN401 -- the edge
    if not isinstance(label, str) or len(label) > _LONGEST or not label.isprintable():
        raise _refused(label)
    return label


def _refused(label: object) -> InputError:
    return InputError(
        f"a unit is {label!r:.60}.",
        f"a label such as 'MW': printable, at most {_LONGEST} characters.",
        "pass unit='MW', or leave it out.",
    )


def tens_between(said: str, own: str | None) -> int | None:
    """E with x said = x 10^E own; None where that is not known."""
    if said == own:
        return 0
    return _TENS[said] - _TENS[own] if own in _TENS and said in _TENS else None
