"""A release: what is published, with its price and its promises. A public type.

It has the same keys, types and lengths whatever d is. It holds no solver status, no number of tries
and no cost.
"""

from __future__ import annotations

import html
import textwrap
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from privopt.accounting.entry import Entry
from privopt.arrays import Vector
from privopt.errors import InputError
from privopt.guarantee import Guarantee
from privopt.wire import Public

__all__ = ["Release"]

UNCOUNTED = "none: no budget was charged, and nothing counts this release together with others"


@dataclass(frozen=True, eq=False)
class Release(Public):
    """Released values with their names, charge and guarantee.

    Attributes
    ----------
    values, names
        What is published.
    epsilon, delta
        The charge of this release, as computed by the noise at its scale.
    alpha
        Largest change of one private entry that the charge speaks of.
    scale, exponent
        Noise scale, and k of the grid 2^k on which the values lie (None if they lie on none).
    mechanism
        How the values were made.
    guarantee
        What is claimed, and on what ground.
    ledger
        The charge that counted this release; None: no ledger did.
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

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name}={value:.6g}" for name, value in zip(self.names[:4], self.values, strict=False)
        )
        more = f", ... {len(self.names)} values" if len(self.names) > 4 else ""
        return (
            f"Release({shown}{more}; epsilon={self.epsilon:.6g}, delta={self.delta:g}; privacy "
            f"{self.guarantee.privacy.label}, feasibility {self.guarantee.feasibility.label} "
            f"({self.guarantee.feasibility.scope.value}); "
            f"{'in no ledger' if self.ledger is None else f'row {self.ledger.row} of its ledger'})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Release) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.names, self.values.tobytes(), self.epsilon))

    def summary(self) -> str:
        """The whole release in words."""
        width = max(len(name) for name in self.names)
        lines = [
            f"Released by {self.mechanism}: epsilon = {self.epsilon:.10g}, "
            f"delta = {self.delta:g}, alpha = {self.alpha:g}"
        ]
        lines += [
            f"  {name:<{width}}  {value: .6g}"
            for name, value in zip(self.names, self.values, strict=True)
        ]
        for title, claim in (
            ("privacy", self.guarantee.privacy),
            ("feasibility", self.guarantee.feasibility),
        ):
            lines.append(f"{title} [{claim.label}]: {claim.statement}")
            lines.append(f"  because {claim.because}")
            lines += [f"  assuming {item}" for item in claim.assumptions]
        lines.append(f"ledger: {self.counted}")
        return "\n".join(textwrap.fill(line, 88, subsequent_indent="    ") for line in lines)

    @property
    def counted(self) -> str:
        """Which ledger counted this release, in words."""
        return UNCOUNTED if self.ledger is None else str(self.ledger)

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
        try:
            import pandas as pd
        except ImportError:
            raise InputError(
                "pandas is not installed.", "pandas.", "pip install 'privopt[pandas]'."
            ) from None
        return pd.Series(self.values, index=list(self.names), name="released")

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{value:.6g}</td></tr>"
            for name, value in zip(self.names, self.values, strict=True)
        )
        claims = "".join(
            f"<li><b>{title}</b> [{claim.label}] {html.escape(claim.statement)}</li>"
            for title, claim in (
                ("privacy", self.guarantee.privacy),
                ("feasibility", self.guarantee.feasibility),
            )
        )
        return (
            f"<table><thead><tr><th>released</th><th>value</th></tr></thead>{rows}</table>"
            f"<p>epsilon = {self.epsilon:.6g}, delta = {self.delta:g}; "
            f"{html.escape(self.counted)}</p><ul>{claims}</ul>"
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Release:
        """The release that `to_dict` wrote; version 1 knew no ledger."""
        names: Any = data["names"]
        exponent = data["exponent"]
        entry = None if data.get("version") == 1 else data["ledger"]
        release = cls(
            values=np.array([float(value) for value in data["values"]]),
            names=tuple(str(name) for name in names),
            epsilon=float(data["epsilon"]),
            delta=float(data["delta"]),
            alpha=float(data["alpha"]),
            scale=float(data["scale"]),
            exponent=exponent,
            mechanism=str(data["mechanism"]),
            guarantee=Guarantee.from_dict(data["guarantee"]),
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
