"""A request: the public parameters of one release, and what it is charged.

    charge = asked decimal,                    if the noise's own charge is not above it (exactly)
           = the noise's own charge, exactly,  otherwise

for epsilon and for delta. The noise computes its own charge as a float; it is compared, and if need
be charged, as the exact fraction that the float is.

A request holds nothing of d. Programs, queries and instruments enter by their digest, which the
caller makes of public data only.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, cast

from privopt.errors import InputError
from privopt.ledger.budget import Budget
from privopt.noise.calibration import Calibration, Privacy
from privopt.noise.neighbours import Change, Neighbours, words
from privopt.record import canonical, digest
from privopt.scalars import real

__all__ = [
    "Request",
    "is_number",
    "is_private_set",
    "is_relation",
    "private_set",
    "relation_of",
    "words_of",
]

_SET = re.compile(r"[1-9][0-9]{0,17}:[0-9a-f]{64}")
_FLOAT = r"[0-9]{1,18}(?:\.[0-9]{1,30})?(?:e[+-][0-9]{1,3})?"  # as Python writes one
_RELATION = re.compile(rf"(each|total):([0-9]{{1,18}}):({_FLOAT}):[0-9a-f]{{64}}")
_TEXTS = ("mechanism", "provenance", "subject", "query", "noise")
_LONGEST = 1000  # characters of a text
_SHORT = 5000  # characters of a request that is kept when it was read


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


def is_private_set(value: object) -> bool:
    """Whether this is what `private_set` makes."""
    return isinstance(value, str) and _SET.fullmatch(value) is not None


def relation_of(relation: Neighbours, names: Sequence[str]) -> str:
    """Neighbours as `change:most entries of an owner:smallest alpha:digest`; "" for the plain ones.

    `names` are those of the private entries, in the order of the relation; the order of the result
    does not matter, nor what the owners are called.
    """
    if relation.plain:
        return ""
    alphas, groups = relation.alphas(len(names)), relation.groups(len(names))
    told = {
        "alpha": sorted(zip(names, alphas, strict=True)),
        "owners": sorted(sorted(names[j] for j in group) for group in groups),
    }
    return f"{relation.change}:{relation.together}:{relation.least!r}:{digest(told)}"


def is_relation(value: object) -> bool:
    """Whether this is what `relation_of` makes."""
    return isinstance(value, str) and (not value or _RELATION.fullmatch(value) is not None)


def words_of(relation: str, alpha: float, unit: str = "") -> str:
    """Neighbours in words, from what `relation_of` makes, the largest alpha, and its unit."""
    found = _RELATION.fullmatch(relation)
    if found is None:
        return words(alpha, alpha, 1, "each", unit)
    return words(alpha, float(found[3]), int(found[2]), cast("Change", found[1]), unit)


@dataclass(frozen=True, kw_only=True)
class Request:
    """Public parameters of one release.

    Attributes
    ----------
    mechanism, provenance
        How the values are made ("measurement", "plan", ...), and how its privacy is known (PROVEN,
        ASSUMED, SAMPLED).
    epsilon, delta
        Asked privacy loss, in any form that `Budget` takes; kept as a decimal in a string.
    own_epsilon, own_delta
        The charge by the noise's own rule; None where it is what was asked.
    alpha, private, relation
        What neighbours are: the largest alpha; `private` is made by `private_set`, `relation` by
        `relation_of`: "" where one entry differs, by at most alpha.
    subject, query
        Digests of the public program or instrument, and of the query.
    noise, scale, sensitivity, size, tries, exponent
        The noise that is added (on the grid 2^exponent), for a tighter sum afterwards.
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
    relation: str = ""

    def __post_init__(self) -> None:
        alpha = real(
            self.alpha, "alpha", "a positive number.", "see help(Laplace).", low=0, open_low=True
        )
        object.__setattr__(self, "alpha", alpha)
        epsilon, delta = Budget(self.epsilon, self.delta).charge.texts
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "delta", delta)
        Budget(self.own_epsilon or 0, self.own_delta or 0)
        odd = [name for name, sound in self._sound().items() if not sound]
        if odd:
            raise InputError(
                f"{odd[0]} of the request is {getattr(self, odd[0])!r:.40}.",
                "numbers and texts as Request describes them.",
                "build the request with Request.of.",
            )

    def _sound(self) -> dict[str, bool]:
        """Whether each parameter is a plain value of its kind, in its range."""
        texts = {name: _is_text(getattr(self, name)) for name in _TEXTS}
        return texts | {
            "private": is_private_set(self.private),
            "relation": is_relation(self.relation),
            "own_epsilon": self.own_epsilon is None or is_number(self.own_epsilon),
            "own_delta": self.own_delta is None or is_number(self.own_delta),
            "scale": is_number(self.scale),
            "sensitivity": is_number(self.sensitivity),
            "size": _is_whole(self.size, 0),
            "tries": _is_whole(self.tries, 1),
            "exponent": self.exponent is None or _is_whole(self.exponent, -5000, 5000),
        }

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
        unit: str | None = None,
    ) -> Request:
        """The request of a calibrated noise; of a constant, which costs nothing, without one.

        With a `unit`, the private coordinates are known by `name in unit`: an alpha of 1 MW and one
        of 1 p.u. speak of different changes, and do not add up.
        """
        relation, names = privacy.neighbours, [str(name) for name in private]
        common: dict[str, Any] = {
            "mechanism": mechanism,
            "provenance": provenance,
            "alpha": relation.largest,
            "private": private_set(names if unit is None else [f"{n} in {unit}" for n in names]),
            "relation": relation_of(relation, names),
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
            noise=privacy.kind,
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
            return _read(text) if len(text) <= _SHORT else _read.__wrapped__(text)
        except (TypeError, ValueError, RecursionError):  # InputError is a ValueError
            raise InputError(
                "this is no request.", "a request as a ledger writes it.", "check the ledger."
            ) from None

    @cached_property
    def text(self) -> str:
        """The canonical text: two requests are the same if these are."""
        return canonical(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; `relation` where it is not the plain one."""
        given = {item.name: getattr(self, item.name) for item in fields(self)}
        return {name: value for name, value in given.items() if name != "relation" or value}

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

    def told_apart(self, other: Request) -> str:
        """The same in words: what was asked, and what follows from it only where that is all."""
        differing = self.differences(other)
        asked = [_WORDS[name] for name in differing if name in _WORDS]
        return ", ".join(asked or differing)


_WORDS = {
    "mechanism": "how the values are made",
    "epsilon": "epsilon",
    "delta": "delta",
    "alpha": "alpha",
    "private": "the private entries",
    "relation": "who is protected",
    "subject": "the program, domain or sums that it is about",
    "query": "what is released",
    "noise": "the law of the noise",
    "size": "how many values have noise",
    "tries": "the number of tries",
}


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST


def is_number(value: object) -> bool:
    """Whether this is a plain finite number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return 0 <= value <= sys.float_info.max


def _is_whole(value: object, low: int, high: int = 2**53) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


@lru_cache(maxsize=256)
def _read(text: str) -> Request:
    # Many rows of a ledger hold the same request.
    return Request(**json.loads(text))
