"""A program as plain data, without its private entries of d.

Numbers read back to the same bits; infinite bounds are written as None.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.arrays import Sparse, Vector
from privopt.program import ConvexProgram

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
    }


def program_from_dict(data: dict[str, Any]) -> ConvexProgram:
    """The program that `program_to_dict` wrote, without d."""
    A, b, G = read_matrix(data["A"]), data["b"], read_matrix(data["G"])
    return ConvexProgram(
        linear=data["linear"],
        quadratic=read_matrix(data["quadratic"]),
        A=A if len(b) else None,
        b=b if len(b) else None,
        G=G,
        lower=_read_bounds(data["lower"], -np.inf),
        upper=_read_bounds(data["upper"], np.inf),
        names=data["names"],
        data_names=data["data_names"],
        row_names=data["row_names"] if len(b) else None,
        private=data["private"],
    )


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


def read_matrix(data: dict[str, Any]) -> Sparse:
    """The matrix that `matrix` wrote."""
    parts: Any = (
        np.array(data["data"], dtype=float),
        np.array(data["indices"], dtype=np.int64),
        np.array(data["indptr"], dtype=np.int64),
    )
    rows, columns = (int(size) for size in data["shape"])
    return sp.csr_array(parts, shape=(rows, columns))


def _bounds(values: Vector) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


def _read_bounds(values: list[float | None], missing: float) -> Vector:
    return np.array([missing if value is None else float(value) for value in values])
