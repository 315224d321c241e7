"""A release: what is published, with its price and its promises. A public type.

It has the same keys, types and lengths whatever d is. It holds no solver status, no number of tries
and no cost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from privopt.arrays import Vector
from privopt.claims.guarantee import Guarantee, Scope
from privopt.claims.terms import PrivacyTerms
from privopt.digits import charge, exactly, up
from privopt.foreign import shown
from privopt.kernel.wire import Public
from privopt.ledger.entry import Entry
from privopt.plain import number
from privopt.show.figures import Dots, spans
from privopt.show.result import Result
from privopt.show.view import Fact, Table, View

__all__ = ["Release"]

_MOST = 3.0  # noise scales: 95.02% of Laplace noise, 99.7% of Gaussian, more of truncated
UNCOUNTED = "none: no budget was charged, and nothing counts this release together with others"


@dataclass(frozen=True, eq=False)
class Release(Public, Result):
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
    replayed
        Whether a ledger gave it again under its key, free. Not part of its file.
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

    def __repr__(self) -> str:
        values = ", ".join(
            f"{shown(name)}={value:.6g}"
            for name, value in zip(self.names[:4], self.values, strict=False)
        )
        more = f", ... {len(self.names)} values" if len(self.names) > 4 else ""
        privacy, feasibility = self.guarantee.privacy, self.guarantee.feasibility
        return (
            f"Release({values}{more}; epsilon={up(self.epsilon, 6)}, delta={up(self.delta, 6)}; "
            f"privacy {privacy.label}, feasibility {feasibility.label} "
            f"({feasibility.scope.value}); {self._where})"
        )

    @property
    def _where(self) -> str:
        if self.ledger is None:
            return "in no ledger"
        return f"row {self.ledger.row} of its ledger" + (", replayed" if self.replayed else "")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Release) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.names, self.values.tobytes(), self.epsilon))

    def view(self) -> View:
        """The values, what they cost, how they were made, and what is claimed."""
        grid = "" if self.exponent is None else f"; on the grid 2^{self.exponent}"
        entry = {} if self.ledger is None else self.ledger.to_dict()
        counted = Table("", tuple(entry), {"": tuple(entry.values())}, "ledger")
        return View(
            "Release",
            Table("value", self.names, {"released": self.values}, "released values"),
            (
                Fact(
                    "charge",
                    f"{charge(self.epsilon, self.delta)}, for {self._hidden}",
                    f"ε = {up(self.epsilon, 4)}",
                    f"privacy loss of this release, {self.guarantee.privacy.label.lower()}; "
                    f"δ = {up(self.delta, 6)}",
                ),
                Fact("made by", self.mechanism, str(len(self.names)), "values released"),
                Fact("noise", self._noise + grid, f"{self.scale:.3g}", "scale of the noise"),
                Fact("ledger", self.counted),
            ),
            guarantee=self.guarantee,
            lead="Values of a solution, published with differential privacy: noise was added so "
            f"that {self._stays}.",
            more=(counted,) if entry else (),
        )

    def plot(self) -> Any:  # noqa: ANN401 -- a plotly figure; plotly has no types
        """The values with the reach of their noise (the extra `report`)."""
        wide = _MOST * self.scale if self.exponent is not None else 0.0
        marks = Dots("released", self.values, self.values - wide, self.values + wide)
        return spans(
            self.names,
            [marks],
            f"Released by {self.mechanism}: epsilon = {up(self.epsilon, 6)}, "
            f"delta = {up(self.delta, 6)}",
            f"noise: {self._noise}; privacy {self.guarantee.privacy.label}",
            "released value",
        )

    @property
    def _hidden(self) -> str:
        """The changes that the charge speaks of, in words."""
        terms = self.guarantee.privacy.terms
        plain = f"changes up to {exactly(self.alpha)}"
        return terms.hidden if isinstance(terms, PrivacyTerms) else plain

    @property
    def _stays(self) -> str:
        """What stays hidden, in words."""
        one = f"a change of one private entry by up to {exactly(self.alpha)} stays hidden"
        hidden = self._hidden
        return one if hidden.startswith("changes") else f"{hidden}, look alike"

    @property
    def _noise(self) -> str:
        if not self.scale:
            return "none, the values are constants"
        if self.exponent is None:  # the noise is not on the values, and they lie on no grid
            return f"of scale {self.scale:.4g}, on the data and not on the values"
        return (
            f"of scale {self.scale:.4g} on each value, 95% of draws or more within "
            f"{_MOST * self.scale:.4g}"
        )

    @property
    def counted(self) -> str:
        """Which ledger counted this release, in words."""
        if self.ledger is None:
            return UNCOUNTED
        again = "; replayed: the same values as before, nothing was charged again"
        return f"{self.ledger}{again if self.replayed else ''}"

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
        }

    def to_pandas(self) -> Any:  # noqa: ANN401 -- pandas is optional
        """A Series of the values by name."""
        return super().to_pandas()["released"].rename_axis(None)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Release:
        """The release that `to_dict` wrote; version 1 knew no ledger.

        What it says of privacy is made from its numbers; how that is known, the file states.
        """
        names: Any = data["names"]
        exponent = data["exponent"]
        loss = [number(data[name]) for name in ("epsilon", "delta", "alpha")]
        entry = None if data.get("version") == 1 else data["ledger"]
        release = cls(
            values=np.array([float(value) for value in data["values"]]),
            names=tuple(str(name) for name in names),
            epsilon=loss[0],
            delta=loss[1],
            alpha=loss[2],
            scale=float(data["scale"]),
            exponent=exponent,
            mechanism=str(data["mechanism"]),
            guarantee=_matching(Guarantee.from_dict(data["guarantee"]), *loss),
            ledger=None if entry is None else Entry.from_dict(entry),
        )
        numbers = [release.epsilon, release.delta, release.alpha, release.scale]
        sound = (
            isinstance(names, list)
            and len(release.names) > 0
            and len(release.names) == len(release.values)
            and (exponent is None or isinstance(exponent, int))
            and bool(np.isfinite([*numbers, *release.values]).all())
        )
        if not sound:
            raise ValueError
        return release


def _matching(found: Guarantee, epsilon: float, delta: float, alpha: float) -> Guarantee:
    """A privacy claim that promises no more than the numbers of the release."""
    terms = found.privacy.terms
    family = terms.family if isinstance(terms, PrivacyTerms) else ""
    held = (
        isinstance(terms, PrivacyTerms)
        and terms.epsilon >= epsilon
        and terms.delta >= delta
        and terms.alpha == alpha
    )
    if not held:  # version 0.1.0 kept no numbers, and printed six digits
        known = terms if isinstance(terms, PrivacyTerms) else PrivacyTerms(0.0, 0.0, alpha)
        loss = float(up(epsilon, 6)), float(up(delta, 6))
        terms = replace(known, epsilon=loss[0], delta=loss[1], alpha=alpha, family=family)
    return replace(found, privacy=replace(found.privacy, terms=terms, scope=Scope.NEIGHBOURS))
