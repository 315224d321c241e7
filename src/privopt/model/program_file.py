"""A program as plain data, without its private entries of d.

Numbers read back to the same bits; infinite bounds are written as None. A constant of the cost is
written where there is one: files before version 0.2.0 have none, and stay the same files.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Sparse, Vector
from privopt.labels import positions
from privopt.model.program import ConvexProgram
from privopt.plain import floats, integer, integers, listed, number, texts

__all__ = ["matrix", "program_from_dict", "program_to_dict", "public_data", "read_matrix"]


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
    }


def program_from_dict(data: dict[str, Any]) -> ConvexProgram:
    """The program that `program_to_dict` wrote, without d; ValueError if it is none."""
    n, rows, size = (len(listed(data[name])) for name in ("linear", "b", "data_names"))
    A = read_matrix(data["A"], rows, n)
    return ConvexProgram(
        linear=floats(data["linear"], n),
        quadratic=read_matrix(data["quadratic"], n, n),
        constant=number(data.get("constant", 0.0)),
        A=A if rows else None,
        b=floats(data["b"], rows) if rows else None,
        G=read_matrix(data["G"], size, n),
        lower=_read_bounds(data["lower"], n, -np.inf),
        upper=_read_bounds(data["upper"], n, np.inf),
        names=texts(data["names"], n),
        data_names=texts(data["data_names"], size),
        row_names=texts(data["row_names"], rows) if rows else None,
        private=integers(data["private"]),
    )


def protecting(program: ConvexProgram, private: Any) -> ConvexProgram:  # noqa: ANN401 -- the edge
    """The same program, without d, with other private entries, if some are named."""
    if private is None:
        return program.without_data()
    chosen = positions(private, program.data_names, "entries of d")
    return program_from_dict({**program_to_dict(program), "private": chosen})


def public_data(program: ConvexProgram) -> dict[str, float]:
    """The entries of d that are not private, by name."""
    public = np.setdiff1d(np.arange(program.G.shape[0]), program.private)
    return {program.data_names[i]: float(program.d[i]) for i in public} if len(public) else {}


def matrix(M: Sparse) -> dict[str, Any]:
    """A sparse matrix."""
    return {
        "shape": [int(size) for size in M.shape],
        "indptr": M.indptr.tolist(),
        "indices": M.indices.tolist(),
        "data": M.data.tolist(),
    }


def read_matrix(data: dict[str, Any], rows: int, columns: int) -> Sparse:
    """The matrix of that shape that `matrix` wrote; ValueError if it is none."""
    indptr, indices = integers(data["indptr"]), integers(data["indices"])
    for size, known in zip(integers(data["shape"]), (rows, columns), strict=True):
        integer(size, known, known)
    # scipy takes indices beyond the shape, and then reads and writes beyond the arrays.
    whole = (
        len(indptr) == rows + 1
        and (indptr[0], indptr[-1]) == (0, len(indices))
        and all(a <= b for a, b in pairwise(indptr))
        and all(0 <= index < columns for index in indices)
    )
    if not whole:
        raise ValueError
    values = floats(data["data"], len(indices))
    parts: Any = (values, np.array(indices, dtype=np.int64), np.array(indptr, dtype=np.int64))
    return sp.csr_array(parts, shape=(rows, columns))


def _bounds(values: Vector) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


def _read_bounds(values: object, size: int, missing: float) -> Vector:
    found = [missing if value is None else number(value) for value in listed(values)]
    if len(found) != size:
        raise ValueError
    return np.array(found)
