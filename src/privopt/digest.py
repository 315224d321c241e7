"""A digest of public values: arrays, numbers, text, functions (by name); tuples, dataclasses."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

__all__ = ["Kinded", "digest_of"]


class Kinded:
    """What files, ledgers and digests know by its kind.

    A kind is a class's own: one that states none, such as a subclass with other rules, is known by
    its name, and never by the kind of the class that it was made from.
    """

    kind: ClassVar[str]

    def __init_subclass__(cls, **named: Any) -> None:  # noqa: ANN401 -- as given
        super().__init_subclass__(**named)
        if "kind" not in cls.__dict__:
            cls.kind = cls.__name__


def digest_of(*parts: Any) -> str:  # noqa: ANN401 -- as above
    """SHA-256 of the parts, in this order."""
    digest = hashlib.sha256()

    def add(part: Any) -> None:  # noqa: ANN401
        if isinstance(part, (tuple, list)):
            for item in cast("tuple[Any, ...]", part):
                add(item)
            digest.update(b")")
        elif isinstance(part, np.ndarray):
            array: NDArray[Any] = np.ascontiguousarray(cast("NDArray[Any]", part))
            digest.update(repr((array.dtype.str, array.shape)).encode() + array.tobytes())
        elif dataclasses.is_dataclass(part) and not isinstance(part, type):
            digest.update(type(part).__name__.encode() + b"(")
            add(tuple((item.name, getattr(part, item.name)) for item in dataclasses.fields(part)))
        elif isinstance(part, functools.partial):
            add((part.func, part.args, tuple(sorted(part.keywords.items()))))
        elif callable(part):  # its address is no part of it
            digest.update(getattr(part, "__qualname__", type(part).__qualname__).encode() + b";")
        else:
            digest.update(repr(part).encode() + b";")

    for part in parts:
        add(part)
    return digest.hexdigest()
