"""Who is protected, as users write it: alpha and owners by position or by name.

    alpha   0.1     [0.1, 0.2, 0.1]          {"north": 0.1, "south": 0.2}      a pandas Series
    owners  None    ["ann", "ann", "bob"]    {"north": "ann", "south": "ann"}  a pandas Series
            where owners share entries       {"north": ["ann", "bob"], "south": ["ann"]}

One for each private entry of d, in their order or by their names. Names are looked up when the
program is known (`in_order`); until then they are kept as they are, in a `ByName`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar, cast

from numpy.typing import NDArray

from privopt.arrays import is_series, labels_of
from privopt.errors import InputError
from privopt.foreign import some
from privopt.scalars import real

__all__ = ["Alpha", "ByName", "Owner", "Owners", "alpha_of", "in_order", "owners_of"]

T = TypeVar("T")
Alpha: TypeAlias = float | Sequence[float] | NDArray[Any] | Mapping[Any, float]
Owners: TypeAlias = Sequence[Any] | NDArray[Any] | Mapping[Any, Any] | None
Owner: TypeAlias = str | tuple[str, ...]

_ALPHA = (
    "a positive number (1e-100 to 1e100), in the units of d.",
    "set it to the largest change of one entry of d that must stay hidden.",
)
_NOTHING = ("None", "nan", "<NA>", "NaT")  # what stands for no label in a table


@dataclass(frozen=True, repr=False)
class ByName(Mapping[str, T], Generic[T]):
    """A mapping from names that can be compared and hashed, whatever the order."""

    pairs: tuple[tuple[str, T], ...]

    def __getitem__(self, name: str) -> T:
        return dict(self.pairs)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(dict(self.pairs))

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return repr(dict(self.pairs))


def alpha_of(value: Any) -> float | tuple[float, ...] | ByName[float]:  # noqa: ANN401 -- the edge
    """Alpha as one float, floats in order or floats by name; at least one is positive."""
    if not _many(value):
        return real(value, "alpha", *_ALPHA, low=1e-100, high=1e100)
    found = _read(value, "alpha", _amount)
    if not any(found.values() if isinstance(found, ByName) else found):
        raise InputError(
            "alpha is 0 for every entry.",
            "a positive alpha for some private entry.",
            "an entry of alpha 0 is not protected: give the others theirs.",
        )
    return found


def owners_of(value: Any) -> tuple[Owner, ...] | ByName[Owner] | None:  # noqa: ANN401 -- the edge
    """Owners as texts in order or by name; None where each entry has its own.

    An entry of several owners has a tuple of them.
    """
    if value is None:
        return None
    if not _many(value):
        raise InputError(
            f"owners is {value!r:.40}.",
            "None, or an owner for each private entry of d.",
            'pass a list of labels such as ["ann", "ann", "bob"], or a dict from the names of the '
            "entries.",
        )
    return _read(value, "owners", _owner)


def in_order(found: Any, names: Sequence[str], what: str) -> Any:  # noqa: ANN401 -- as above
    """What was read, one for each name; one value for all, and None, stay as they are."""
    if isinstance(found, ByName):
        table = dict(cast("ByName[Any]", found).pairs)
        missing = [name for name in names if name not in table]
        unknown = sorted(set(table) - set(names))
        if missing or unknown:
            parts = [f"no entry for {some(missing)}"] if missing else []
            parts += [f"{some(unknown)}, which is no private entry of d"] if unknown else []
            raise InputError(
                f"{what} has {' and '.join(parts)}.",
                f"one for each private entry of d ({some(names, count=True)}).",
                "take the names from program.private_names.",
            )
        return tuple(table[name] for name in names)
    if not isinstance(found, tuple):
        return found
    given = cast("tuple[Any, ...]", found)
    if len(given) != len(names):
        raise InputError(
            f"{what} has {len(given)} entries.",
            f"{len(names)}: one for each private entry of d.",
            "the private entries are those of program.private, in their order.",
        )
    return given


def _many(value: object) -> bool:
    whole = isinstance(value, (str, bytes)) or getattr(value, "ndim", 1) == 0
    return hasattr(value, "__iter__") and hasattr(value, "__len__") and not whole


def _read(
    value: Any,  # noqa: ANN401 -- the edge
    what: str,
    item: Callable[[object, str], T],
) -> tuple[T, ...] | ByName[T]:
    if is_series(value):
        names, values = labels_of(value.index), list(value)
    elif isinstance(value, Mapping):
        table = cast("Mapping[object, object]", value)
        names, values = tuple(str(name) for name in table), list(table.values())
    else:
        given: list[object] = list(value)
        return tuple(item(one, f"{what}[{k}]") for k, one in enumerate(given))
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"{what} has {twice!r:.40} more than once.", "each name once.", "take one of them out."
        )
    pairs = zip(names, values, strict=True)
    return ByName(tuple(sorted((name, item(one, f"{what}[{name!r:.40}]")) for name, one in pairs)))


def _amount(value: object, what: str) -> float:
    words = "0, or a positive number (1e-100 to 1e100), in the units of d.", _ALPHA[1]
    number = real(value, what, *words, low=0.0, high=1e100)
    return real(value, what, *words, low=1e-100) if number else 0.0


def _owner(value: object, what: str) -> Owner:
    """The owner of an entry, or its owners, sorted."""
    if not _many(value):
        return _label(value, what)
    several = sorted({_label(one, what) for one in cast("Sequence[object]", value)})
    if not several:
        raise InputError(
            f"{what} is empty.",
            "an owner for every entry: one that is nobody's is not protected.",
            "name its owners, or take alpha 0 for an entry that is public.",
        )
    return tuple(several)


def _label(value: object, what: str) -> str:
    nothing = not isinstance(value, str) and str(value) in _NOTHING
    if nothing or _many(value) or value == "":
        raise InputError(
            f"{what} is {value!r:.40}.", "a label for every owner.", "a name or a number."
        )
    if isinstance(value, float) and value.is_integer():  # as pandas reads a column of numbers
        value = int(value)
    return str(value)
