"""Which model of the power flow: two of DC, and two of radial feeders."""

from __future__ import annotations

from enum import StrEnum

from privopt.errors import InputError

__all__ = ["Convention", "Reactive"]


class Convention(StrEnum):
    """`powermodels` or `matpower` (DC); `lindistflow` or `socp` (feeders without loops)."""

    POWERMODELS = "powermodels"
    MATPOWER = "matpower"
    LINDISTFLOW = "lindistflow"
    SOCP = "socp"

    @classmethod
    def read(cls, given: str) -> Convention:
        """The convention of that name."""
        try:
            return cls(given)
        except ValueError:
            raise InputError(
                f"{given!r} is no convention of the power flow.",
                "'powermodels' or 'matpower' (DC), 'lindistflow' or 'socp' (radial feeders).",
                "leave it out for PowerModels' DC flow, the one PGLib's baseline uses.",
            ) from None

    @property
    def of_feeders(self) -> bool:
        """Whether it has voltages and reactive power, and takes no loops."""
        return self in (Convention.LINDISTFLOW, Convention.SOCP)


class Reactive(StrEnum):
    """What is known of reactive demands.

    `follows`: each is the active demand times a public ratio, that of the case; `private`: each is
    an entry of d of its own; `public`: each is a known number.
    """

    FOLLOWS = "follows"
    PRIVATE = "private"
    PUBLIC = "public"

    @classmethod
    def read(cls, given: str) -> Reactive:
        """The kind of that name."""
        try:
            return cls(given)
        except ValueError:
            raise InputError(
                f"reactive is {given!r}.",
                "'follows', 'private' or 'public'.",
                "leave it out: reactive demands follow active ones at the case's power factors.",
            ) from None
