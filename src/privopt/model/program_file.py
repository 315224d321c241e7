"""A program as plain data, without its private entries of d, and as a file.

A file that `PublicProgram.save` wrote reads back to the same bits; infinite bounds are written as
None. A constant, E, cones and the like are written where there are some. One may also be written by
hand, with matrices as lists of rows and only what is needed:

    {"privopt": "program", "version": 1,
     "linear": [1, 2, 3], "G": [[1, 1, 1]], "lower": 0, "upper": 4, "names": ["x", "y", "w"]}
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import numpy as np

from privopt.arrays import Vector
from privopt.claims.units import UnitLabels
from privopt.errors import InputError, PrivoptError
from privopt.kernel.wire import Public
from privopt.labels import positions
from privopt.model.cone_file import cones_from_dict, cones_to_dict
from privopt.model.matrix_file import matrix, read_matrix
from privopt.model.periods import Periods
from privopt.model.program import ConvexProgram
from privopt.plain import floats, integers, listed, number, texts
from privopt.scalars import real

__all__ = [
    "PublicProgram", "matrix", "program_from_dict", "program_to_dict", "protecting", "public_data",
    "read_matrix",
]  # fmt: skip

_ENTRY = ("an entry of its data", "a finite number.", "check the file.")


def program_to_dict(program: ConvexProgram) -> dict[str, Any]:
    """Everything but d."""
    return {
        "linear": program.linear.tolist(),
        "quadratic": matrix(program.quadratic),
        "A": matrix(program.A),
        "b": program.b.tolist(),
        "G": matrix(program.G),
        "lower": _bounds(program.lower),
        "upper": _bounds(program.upper),
        "names": list(program.names),
        "data_names": list(program.data_names),
        "row_names": list(program.row_names),
        "private": program.private.tolist(),
        **({"constant": program.constant} if program.constant else {}),
        **(_public_equalities(program) if len(program.g) else {}),
        **({"cones": cones_to_dict(program.cones)} if len(program.cones) else {}),
        **({"auxiliary": program.auxiliary.tolist()} if len(program.auxiliary) else {}),
        **({} if program.periods is None else {"periods": program.periods.to_dict()}),
        **({} if program.units is None else {"units": program.units.to_dict()}),
    }


def _public_equalities(program: ConvexProgram) -> dict[str, Any]:
    return {
        "E": matrix(program.E),
        "g": program.g.tolist(),
        "equality_names": list(program.equality_names),
    }


def program_from_dict(data: dict[str, Any]) -> ConvexProgram:
    """The program that `program_to_dict` wrote, without d; ValueError if it is none."""
    n, rows, size = (len(listed(data[name])) for name in ("linear", "b", "data_names"))
    A, public = read_matrix(data["A"], rows, n), len(listed(data.get("g", [])))
    if not public and ("E" in data or "equality_names" in data):
        raise ValueError  # equalities without a right-hand side
    program = ConvexProgram(
        linear=floats(data["linear"], n),
        quadratic=read_matrix(data["quadratic"], n, n),
        constant=number(data.get("constant", 0.0)),
        A=A if rows else None,
        b=floats(data["b"], rows) if rows else None,
        G=read_matrix(data["G"], size, n),
        E=read_matrix(data["E"], public, n) if public else None,
        g=floats(data["g"], public) if public else None,
        equality_names=texts(data["equality_names"], public) if public else None,
        lower=_read_bounds(data["lower"], n, -np.inf),
        upper=_read_bounds(data["upper"], n, np.inf),
        names=texts(data["names"], n),
        data_names=texts(data["data_names"], size),
        row_names=texts(data["row_names"], rows) if rows else None,
        private=integers(data["private"]),
        cones=[cones_from_dict(data["cones"], n)] if "cones" in data else (),
        auxiliary=integers(data.get("auxiliary", [])),
        unit=UnitLabels.from_dict(data["units"], n) if "units" in data else None,
    )
    return program.over(Periods.from_dict(data["periods"])) if "periods" in data else program


def protecting(program: ConvexProgram, private: Any) -> ConvexProgram:  # noqa: ANN401 -- the edge
    """The same program, without d, with other private entries, if some are named."""
    if private is None:
        return program.without_data()
    chosen = positions(private, program.data_names, "entries of d")
    if sorted(chosen) != program.private.tolist():
        program = program.over(None)
    return program_from_dict({**program_to_dict(program), "private": chosen})


def public_data(program: ConvexProgram) -> dict[str, float]:
    """The entries of d that are not private, by name."""
    public = np.setdiff1d(np.arange(program.G.shape[0]), program.private)
    return {program.data_names[i]: float(program.d[i]) for i in public} if len(public) else {}


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

    def record(self) -> dict[str, Any]:
        """Plain data: nothing private."""
        return {**program_to_dict(self.program), "data": self.data}

    def says(self, data: dict[str, Any]) -> bool:
        """Whatever a file says of a program: it may be written by hand, and claims nothing."""
        return True

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
    "linear", "quadratic", "constant", "A", "b", "G", "E", "g", "lower", "upper", "names",
    "private", "data_names", "row_names", "equality_names", "unit",
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


def _bounds(values: Vector) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


def _read_bounds(values: object, size: int, missing: float) -> Vector:
    found = [missing if value is None else number(value) for value in listed(values)]
    if len(found) != size:
        raise ValueError
    return np.array(found)
