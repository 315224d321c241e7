"""A release: what is published, with its price and its promises. A public type.

It has the same keys, types and lengths whatever d is. It holds no solver status, no number of tries
and no cost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from privopt.arrays import Vector
from privopt.claims.guarantee import Guarantee
from privopt.claims.privacy import promises
from privopt.claims.units import UnitLabels
from privopt.claims.worth import Worth
from privopt.claims.worth_file import worth_from_dict, worth_to_dict
from privopt.errors import InputError, LedgerError
from privopt.kernel.wire import Public
from privopt.ledger.entry import Entry
from privopt.ledger.reading import ReadLedger
from privopt.plain import marked, number, texts
from privopt.show.releases import PublishedValues

__all__ = ["SHOWN", "Release"]

SHOWN = ("measurement", "decision")  # mechanisms whose claims follow from other records


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
        Digest of the instrument, of the public program and claims (the subject of its request), or
        of the decision. "" where nothing says.
    replayed
        Whether a ledger gave it again under its key, free. Not part of its file.
    worth
        How far each value lies from the non-private answer, bias and noise, over public draws, and
        what that tells beside a constant. None where it would depend on d, or is not known.
    units
        What the values, and alpha, are counted in; None where the program has no unit.
    """

    kind: ClassVar[str] = "release"
    version: ClassVar[int] = 3

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

    def record(self) -> dict[str, Any]:
        """Plain data; floats keep their bits."""
        return {
            "values": [float(value) for value in self.values],
            "names": list(self.names),
            "epsilon": self.epsilon,
            "delta": self.delta,
            "alpha": self.alpha,
            "scale": self.scale,
            "exponent": self.exponent,
            "mechanism": self.mechanism,
            "guarantee": self.guarantee.record(derived=self.mechanism in SHOWN),
            "ledger": None if self.ledger is None else self.ledger.to_dict(),
            "maker": self.maker,
            **({"rests_on": list(self.rests_on)} if self.rests_on else {}),
            **({} if self.date is None else {"date": self.date}),
            **({} if self.worth is None else worth_to_dict(self.worth)),
            **({} if self.units is None else {"units": self.units.to_dict()}),
        }

    def confirmed(self, ledger: ReadLedger) -> Release:
        """The same, with claims that are no longer stated: this ledger holds the record.

        LedgerError if it does not, or is not whole itself; of a decided release the ledger holds
        what it rests on, not this.
        """
        if self.mechanism == "decision":
            raise InputError(
                "a decided release is in no ledger.",
                "a release that was charged.",
                "confirm the measurements of the decision.",
            )
        ledger.verify()
        why = ledger.why_not_stored(self.ledger, self.digest)
        if why is not None:
            raise LedgerError(
                f"the ledger does not confirm this: {why}.",
                "the record that was charged there.",
                "ask for the file as it was written; the ledger has it: Ledger.fetch.",
            )
        return replace(self, guarantee=self.guarantee.stated(False))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Release:
        """The release that `to_dict` wrote, with what its file states of privacy."""
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
            guarantee=Guarantee.from_dict(data["guarantee"]),
            ledger=None if entry is None else Entry.from_dict(entry),
            rests_on=tuple(str(one) for one in data.get("rests_on", ())),
            date=marked(data, "date"),
            maker=(marked(data, "maker") or "") if data["maker"] else "",
            worth=worth_from_dict(data, texts(names, len(names)), loss[0])
            if "errors" in data
            else None,
            units=UnitLabels.from_dict(data["units"], len(names)) if "units" in data else None,
        )
        numbers = [release.epsilon, release.delta, release.alpha, release.scale]
        sound = (
            isinstance(names, list)
            and promises(release.guarantee, *loss)
            and (release.errors is None or bool(np.isfinite(release.errors).all()))
            and len(release.names) > 0
            and len(release.names) == len(release.values)
            and (exponent is None or isinstance(exponent, int))
            and bool(np.isfinite([*numbers, *release.values]).all())
        )
        if not sound:
            raise ValueError
        return release
