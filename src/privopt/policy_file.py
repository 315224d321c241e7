"""A policy as plain data: public values only, numbers that read back to the same bits.

The file holds the program without its private entries of d, so that a loaded policy can release,
complete and verify by itself. Infinite bounds are written as None.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from privopt.affine import Affine, Recourse
from privopt.arrays import Sparse, Vector
from privopt.fixed import FixedMap
from privopt.guarantee import Guarantee
from privopt.magnitude import public_bound
from privopt.noise.calibration import Calibration, Privacy
from privopt.noise.gaussian import Gaussian
from privopt.noise.laplace import Laplace
from privopt.noise.truncated import TruncatedLaplace
from privopt.policy import Policy
from privopt.program import ConvexProgram

__all__ = ["from_dict", "to_dict"]

_NOISE: dict[str, Any] = {kind.__name__: kind for kind in (Laplace, Gaussian, TruncatedLaplace)}


def to_dict(policy: Policy) -> dict[str, Any]:
    """Plain data for JSON."""
    return {
        "program": _program(policy.program),
        "query": _matrix(policy.S),
        "names": list(policy.names),
        "noise": _noise(policy.privacy),
        "offset": policy.offset.tolist(),
        "gain": policy.gain.tolist(),
        "recourse": np.asarray(policy.recourse).tolist(),
        "map": policy.map.to_dict(),
        "sensitivity": policy.sensitivity,
        "cost": policy.cost,
        "loss": policy.loss,
        "distance": policy.distance,
        "residual": policy.residual,
        "guarantee": policy.guarantee.to_dict(),
        "unit": _calibration(policy.unit),
        "calibration": None if policy.calibration is None else _calibration(policy.calibration),
    }


def from_dict(data: dict[str, Any]) -> Policy:
    """The policy that `to_dict` wrote."""
    program, privacy = _read_program(data["program"]), _read_noise(data["noise"])
    gain = np.array(data["gain"], dtype=float).reshape(program.n, -1)
    recourse = np.array(data["recourse"], dtype=float).reshape(program.n, -1)
    given, S, exact = (
        data["calibration"],
        _read_matrix(data["query"]),
        FixedMap.from_dict(data["map"]),
    )
    _check_proof(privacy, exact, given)
    return Policy(
        program=program,
        S=S,
        names=tuple(str(name) for name in data["names"]),
        privacy=privacy,
        affine=Affine(np.array(data["offset"], dtype=float), Recourse(recourse), gain),
        map=exact,
        sensitivity=float(data["sensitivity"]),
        cost=float(data["cost"]),
        loss=float(data["loss"]),
        distance=float(data["distance"]),
        guarantee=Guarantee.from_dict(data["guarantee"]),
        calibration=None if given is None else _read_calibration(privacy, given, exact.bound()),
        unit=_read_calibration(privacy, data["unit"], public_bound(program, S)),
        residual=float(data["residual"]),
    )


def _check_proof(privacy: Privacy, exact: FixedMap, given: dict[str, Any] | None) -> None:
    """A policy whose noise does not cover the sensitivity of its map is refused."""
    k = -1000 if given is None else int(given["exponent"])
    Delta = exact.sensitivity(privacy.alpha, privacy.order, k)
    covered = 0.0 if given is None else float(given["sensitivity"])
    moves = any(int(value) for value in exact.matrix.ravel())
    if moves if given is None else Delta > covered:
        raise ValueError


def _program(program: ConvexProgram) -> dict[str, Any]:
    return {
        "linear": program.linear.tolist(),
        "quadratic": _matrix(program.quadratic),
        "A": _matrix(program.A),
        "b": program.b.tolist(),
        "G": _matrix(program.G),
        "lower": _bounds(program.lower),
        "upper": _bounds(program.upper),
        "names": list(program.names),
        "data_names": list(program.data_names),
        "row_names": list(program.row_names),
        "private": program.private.tolist(),
    }


def _read_program(data: dict[str, Any]) -> ConvexProgram:
    A, b, G = _read_matrix(data["A"]), data["b"], _read_matrix(data["G"])
    return ConvexProgram(
        linear=data["linear"],
        quadratic=_read_matrix(data["quadratic"]),
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


def _bounds(values: Vector) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


def _read_bounds(values: list[float | None], missing: float) -> Vector:
    return np.array([missing if value is None else float(value) for value in values])


def _matrix(M: Sparse) -> dict[str, Any]:
    return {
        "shape": [int(size) for size in M.shape],
        "indptr": M.indptr.tolist(),
        "indices": M.indices.tolist(),
        "data": M.data.tolist(),
    }


def _read_matrix(data: dict[str, Any]) -> Sparse:
    parts: Any = (
        np.array(data["data"], dtype=float),
        np.array(data["indices"], dtype=np.int64),
        np.array(data["indptr"], dtype=np.int64),
    )
    rows, columns = (int(size) for size in data["shape"])
    return sp.csr_array(parts, shape=(rows, columns))


def _noise(privacy: Privacy) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "kind": type(privacy).__name__, "epsilon": privacy.epsilon, "alpha": privacy.alpha,
    }  # fmt: skip
    if privacy.delta:
        asked["delta"] = privacy.delta
    if isinstance(privacy, Gaussian):
        asked["calibration"] = privacy.calibration
    return asked


def _read_noise(data: dict[str, Any]) -> Privacy:
    given = {name: value for name, value in data.items() if name != "kind"}
    return _NOISE[data["kind"]](**given)


def _calibration(calibration: Calibration) -> dict[str, Any]:
    """What makes the same noise again, and what it came to."""
    return {
        "size": calibration.size,
        "sensitivity": calibration.sensitivity,
        "scale": calibration.scale,
        "exponent": calibration.exponent,
        "epsilon": calibration.epsilon,
        "delta": calibration.delta,
    }


def _read_calibration(privacy: Privacy, data: dict[str, Any], bound: float | None) -> Calibration:
    """Made again and compared: a file that claims another scale, grid or charge is refused."""
    found = privacy.calibrate(int(data["size"]), float(data["sensitivity"]), bound=bound)
    if _calibration(found) != data:
        raise ValueError
    return found
