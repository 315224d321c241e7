"""A release: what is published, with its price and its promises. A public type.

It has the same keys, types and lengths whatever d is. It holds no solver status, no number of tries
and no cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privopt.arrays import Vector
from privopt.claims.guarantee import Guarantee
from privopt.claims.privacy import promising
from privopt.claims.units import UnitLabels
from privopt.claims.worth import Worth
from privopt.claims.worth_file import worth_from_dict, worth_to_dict
from privopt.kernel.wire import Public
from privopt.ledger.entry import Entry
from privopt.plain import marked, number, texts
from privopt.show.releases import PublishedValues

__all__ = ["Release"]


@dataclass(frozen=True, eq=False, repr=False)
class Release(Public, PublishedValues):
    """Released values with their names, charge and guarantee.

    Attributes
    ----------
    values, names
        What is published.
    epsilon, delta
        The charge of this release, as computed by the noise at its scale.
    alpha
        Largest change of one private entry that the charge speaks of; where neighbours are not that
        simple (owners, one alpha for each entry), the claim says what they are.
    scale, exponent
        Noise scale, and k of the grid 2^k on which the values lie (None if they lie on none).
    mechanism
        How the values were made.
    guarantee
        What is claimed, and on what ground.
    ledger
        The charge that counted this release; None: no ledger did.
    rests_on
        Digests of the measurements that the values were decided from; none of other releases.
    date
        When it was charged (UTC), or, without a ledger, asked for; of a decision, its last
        measurement's. Never when it was done, which may depend on d.
    maker
        Digest of the instrument or public program, as in its request; "" of a decision.
    replayed
        Whether a ledger gave it again under its key, free. Not part of its file.
    worth
        How far each value lies from the non-private answer, bias and noise, over public draws, and
        what that tells beside a constant. None where it would depend on d, or is not known.
    units
        What the values, and alpha, are counted in; None where the program has no unit.
    """

    kind: ClassVar[str] = "release"
    version: ClassVar[int] = 2

    values: Vector
    names: tuple[str, ...]
    epsilon: float
    delta: float
    alpha: float
    scale: float
    exponent: int | None
    mechanism: str
    guarantee: Guarantee
    ledger: Entry | None = None
    replayed: bool = False
    rests_on: tuple[str, ...] = ()
    date: str | None = None
    maker: str = ""
    worth: Worth | None = None
    units: UnitLabels | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Release) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.names, self.values.tobytes(), self.epsilon))

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; floats keep their bits."""
        return {
            "values": [float(value) for value in self.values],
            "names": list(self.names),
            "epsilon": self.epsilon,
            "delta": self.delta,
            "alpha": self.alpha,
            "scale": self.scale,
            "exponent": self.exponent,
            "mechanism": self.mechanism,
            "guarantee": self.guarantee.to_dict(),
            "ledger": None if self.ledger is None else self.ledger.to_dict(),
            **({"rests_on": list(self.rests_on)} if self.rests_on else {}),
            **({} if self.date is None else {"date": self.date}),
            **({"maker": self.maker} if self.maker else {}),
            **({} if self.worth is None else worth_to_dict(self.worth)),
            **({} if self.units is None else {"units": self.units.to_dict()}),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Release:
        """The release that `to_dict` wrote.

        What it says of privacy is made from its numbers; how that is known, the file states.
        """
        names: Any = data["names"]
        exponent = data["exponent"]
        loss = [number(data[name]) for name in ("epsilon", "delta", "alpha")]
        entry = data["ledger"]
        release = cls(
            values=np.array([float(value) for value in data["values"]]),
            names=tuple(str(name) for name in names),
            epsilon=loss[0],
            delta=loss[1],
            alpha=loss[2],
            scale=float(data["scale"]),
            exponent=exponent,
            mechanism=str(data["mechanism"]),
            guarantee=promising(Guarantee.from_dict(data["guarantee"]), *loss),
            ledger=None if entry is None else Entry.from_dict(entry),
            rests_on=tuple(str(one) for one in data.get("rests_on", ())),
            date=marked(data, "date"),
            maker=marked(data, "maker") or "",
            worth=worth_from_dict(data, texts(names, len(names)), loss[0])
            if "errors" in data
            else None,
            units=UnitLabels.from_dict(data["units"], len(names)) if "units" in data else None,
        )
        numbers = [release.epsilon, release.delta, release.alpha, release.scale]
        sound = (
            isinstance(names, list)
            and (release.errors is None or bool(np.isfinite(release.errors).all()))
            and len(release.names) > 0
            and len(release.names) == len(release.values)
            and (exponent is None or isinstance(exponent, int))
            and bool(np.isfinite([*numbers, *release.values]).all())
        )
        if not sound:
            raise ValueError
        return release
