"""The file of a program: a public type that holds everything but the private entries of d.

A file that `save` wrote reads back to the same bits. One may also be written by hand, with matrices
as lists of rows and only what is needed:

    {"privopt": "program", "version": 1,
     "linear": [1, 2, 3], "G": [[1, 1, 1]], "lower": 0, "upper": 4, "names": ["x", "y", "w"]}
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import numpy as np

from privopt.errors import InputError, PrivoptError
from privopt.kernel.wire import Public
from privopt.model.program import ConvexProgram
from privopt.model.program_file import program_from_dict, program_to_dict, public_data
from privopt.scalars import real

__all__ = ["PublicProgram"]

_ENTRY = ("an entry of its data", "a finite number.", "check the file.")


@dataclass(frozen=True, eq=False, repr=False)
class PublicProgram(Public):
    """The public part of a program, to be saved: everything but the private entries of d.

    Attributes
    ----------
    program
        The program; whatever it was made from, it holds no d.
    data
        The entries of d that are not private, by name.

    Examples
    --------
    >>> import privopt as po
    >>> program = po.ConvexProgram(linear=[1, 2], G=[[1, 1]], d=[3], lower=0, upper=2)
    >>> po.PublicProgram(program).program
    ConvexProgram(2 variables, 4 inequalities, 1 equality, 1 private, d not given)
    """

    kind: ClassVar[str] = "program"
    version: ClassVar[int] = 1

    program: ConvexProgram
    data: dict[str, float] = field(default_factory=dict[str, float])

    def __post_init__(self) -> None:
        if self.program.has_data:
            object.__setattr__(self, "data", public_data(self.program))
        object.__setattr__(self, "program", self.program.without_data())

    def __repr__(self) -> str:
        return f"PublicProgram({self.program!r})"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: nothing private."""
        return {**program_to_dict(self.program), "data": self.data}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> PublicProgram:
        """The program that `to_dict` wrote, or one written by hand."""
        given = {name: value for name, value in data.items() if name not in ("privopt", "version")}
        known: Any = given.pop("data", {})
        if not isinstance(known, dict):
            raise TypeError
        try:
            stored = isinstance(given.get("G"), dict)
            program = program_from_dict(given) if stored else _by_hand(given)
            return cls(program, _public(program, cast("dict[str, Any]", known)))
        except InputError as error:  # it is public: what is wrong with it can be told
            told = (f"the program file cannot be used: {error.got}", error.needed, error.remedies)
        raise PrivoptError(*told)


_TAKEN = (
    "linear", "quadratic", "constant", "A", "b", "G", "lower", "upper", "names", "private",
    "data_names", "row_names",
)  # fmt: skip


def _by_hand(given: dict[str, Any]) -> ConvexProgram:
    """A program whose matrices are lists of rows; what is not needed may be left out."""
    unknown = [name for name in given if name not in _TAKEN]
    if unknown:
        raise InputError(
            f"it has {unknown[0]!r:.60}.",
            f"no more than: {', '.join((*_TAKEN, 'data'))}.",
            "private entries of d go into a file of data, public ones into data, by name.",
        )
    for name, missing in (("lower", -np.inf), ("upper", np.inf)):
        if isinstance(given.get(name), list):
            ends = cast("list[Any]", given[name])
            given[name] = [missing if end is None else end for end in ends]
    if given.get("b") == []:
        given = {name: value for name, value in given.items() if name not in ("A", "b")}
    return ConvexProgram(**given)


def _public(program: ConvexProgram, known: dict[str, Any]) -> dict[str, float]:
    """Values of public entries of d, checked."""
    values = {name: real(value, *_ENTRY) for name, value in known.items()}
    private: list[int] = program.private.tolist()
    public = set(program.data_names) - {program.data_names[i] for i in private}
    if not values.keys() <= public:
        raise InputError(
            "its data has a name that is private, or no entry of d.",
            "entries of d that are not private.",
            "leave the others out.",
        )
    return values
