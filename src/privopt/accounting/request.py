"""A request: the public parameters of one release, and what it is charged.

    charge = asked decimal,                    if the noise's own charge is not above it (exactly)
           = the noise's own charge, exactly,  otherwise

for epsilon and for delta. The noise computes its own charge as a float; it is compared, and if need
be charged, as the exact fraction that the float is.

A request holds nothing of d. Programs, queries and policies enter by their digest, which the caller
makes of public data only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from privopt.accounting.budget import Budget
from privopt.errors import InputError
from privopt.noise.calibration import Calibration, Privacy
from privopt.scalars import real

__all__ = ["Request", "canonical", "digest", "private_set"]


def canonical(data: Any) -> str:  # noqa: ANN401 -- plain data
    """Plain data as text, one text for each value: sorted keys, no spaces, ASCII."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(data: Any) -> str:  # noqa: ANN401 -- plain data
    """SHA-256 of plain data. Give it public data only: a digest of d could be guessed."""
    return hashlib.sha256(canonical(data).encode()).hexdigest()


def private_set(names: Iterable[object]) -> str:
    """The set of private coordinates as `count:digest`; order does not matter."""
    if isinstance(names, str):
        names = (names,)
    unique = sorted({str(name) for name in names})
    if not unique:
        raise InputError(
            "private is empty.", "the names of the private entries of d.", "program.data_names."
        )
    return f"{len(unique)}:{digest(unique)}"


@dataclass(frozen=True, kw_only=True)
class Request:
    """Public parameters of one release.

    Attributes
    ----------
    mechanism, provenance
        How the values are made ("policy", "plan", ...), and how its privacy is known (PROVEN,
        ASSUMED, SAMPLED).
    epsilon, delta
        Asked privacy loss, in any form that `Budget` takes; kept as a decimal in a string.
    own_epsilon, own_delta
        The charge by the noise's own rule; None where it is what was asked.
    alpha, private
        What neighbours are: `private` is made by `private_set`.
    subject, query
        Digests of the public program or policy, and of the query.
    noise, scale, sensitivity, size, tries, exponent
        The noise that is added (on the grid 2^exponent), for tighter accounting afterwards.
    """

    mechanism: str
    epsilon: Any
    alpha: float
    private: str
    delta: Any = 0
    own_epsilon: float | None = None
    own_delta: float | None = None
    provenance: str = "ASSUMED"
    subject: str = ""
    query: str = ""
    noise: str = ""
    scale: float = 0.0
    sensitivity: float = 0.0
    size: int = 0
    tries: int = 1
    exponent: int | None = None

    def __post_init__(self) -> None:
        alpha = real(
            self.alpha, "alpha", "a positive number.", "see help(Laplace).", low=0, open_low=True
        )
        object.__setattr__(self, "alpha", alpha)
        epsilon, delta = Budget(self.epsilon, self.delta).charge.texts
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", delta)
        try:
            canonical(self.to_dict())
            Budget(self.own_epsilon or 0, self.own_delta or 0)
        except (TypeError, ValueError):
            raise InputError(
                "a parameter of the request is no plain finite value.",
                "numbers and strings.",
                "build the request with Request.of.",
            ) from None

    @classmethod
    def of(
        cls,
        privacy: Privacy,
        calibration: Calibration | None,
        *,
        mechanism: str,
        provenance: str,
        private: Iterable[object],
        subject: str,
        query: str,
    ) -> Request:
        """The request of a calibrated noise; of a constant, which costs nothing, without one."""
        common: dict[str, Any] = {
            "mechanism": mechanism,
            "provenance": provenance,
            "alpha": privacy.alpha,
            "private": private_set(private),
            "subject": subject,
            "query": query,
        }
        if calibration is None:
            return cls(epsilon=0, noise="none", **common)
        return cls(
            epsilon=privacy.epsilon,
            delta=privacy.delta,
            own_epsilon=calibration.epsilon,
            own_delta=calibration.delta,
            noise=type(privacy).__name__,
            scale=calibration.scale,
            sensitivity=calibration.sensitivity,
            size=calibration.size,
            tries=calibration.tries,
            exponent=calibration.exponent,
            **common,
        )

    @classmethod
    def read(cls, text: str) -> Request:
        """The request that `text` is the canonical text of."""
        try:
            return _read(text)
        except (TypeError, ValueError, RecursionError):  # InputError is a ValueError
            raise InputError(
                "this is no request.", "a request as a ledger writes it.", "check the ledger."
            ) from None

    @cached_property
    def text(self) -> str:
        """The canonical text: two requests are the same if these are."""
        return canonical(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @cached_property
    def charge(self) -> Budget:
        """What the request costs."""
        asked = Budget(self.epsilon, self.delta).exact
        own = (Fraction(self.own_epsilon or 0), Fraction(self.own_delta or 0))
        return Budget(max(asked[0], own[0]), max(asked[1], own[1]))

    def differences(self, other: Request) -> tuple[str, ...]:
        """Names of the parameters in which two requests differ."""
        names = (item.name for item in fields(self))
        return tuple(name for name in names if getattr(self, name) != getattr(other, name))


@lru_cache(maxsize=256)
def _read(text: str) -> Request:
    # Many rows of a ledger hold the same request.
    return Request(**json.loads(text))
