"""A policy as plain data: public values only, numbers that read back to the same bits.

The file holds the program without d, so that a loaded policy can release, complete and verify by
itself.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privopt.affine import Affine, Recourse
from privopt.fixed import FixedMap
from privopt.guarantee import Guarantee
from privopt.magnitude import public_bound
from privopt.noise.calibration import Calibration, Privacy
from privopt.noise.gaussian import Gaussian
from privopt.noise.laplace import Laplace
from privopt.noise.truncated import TruncatedLaplace
from privopt.policy import Policy
from privopt.program_file import matrix, program_from_dict, program_to_dict, read_matrix

__all__ = ["from_dict", "to_dict"]

_NOISE: dict[str, Any] = {kind.__name__: kind for kind in (Laplace, Gaussian, TruncatedLaplace)}


def to_dict(policy: Policy) -> dict[str, Any]:
    """Plain data for JSON."""
    return {
        "program": program_to_dict(policy.program),
        "query": matrix(policy.S),
        "names": list(policy.names),
        "noise": _noise(policy.privacy),
        "offset": policy.offset.tolist(),
        "gain": policy.gain.tolist(),
        "recourse": np.asarray(policy.recourse).tolist(),
        "map": policy.map.to_dict(),
        "sensitivity": policy.sensitivity,
        "cost": policy.cost,
        "loss": _finite(policy.loss),
        "distance": policy.distance,
        "residual": _finite(policy.residual),
        "guarantee": policy.guarantee.to_dict(),
        "unit": _calibration(policy.unit),
        "calibration": None if policy.calibration is None else _calibration(policy.calibration),
    }


def from_dict(data: dict[str, Any]) -> Policy:
    """The policy that `to_dict` wrote."""
    program, privacy = program_from_dict(data["program"]), _read_noise(data["noise"])
    gain = np.array(data["gain"], dtype=float).reshape(program.n, -1)
    recourse = np.array(data["recourse"], dtype=float).reshape(program.n, -1)
    given, S, exact = (
        data["calibration"],
        read_matrix(data["query"]),
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
        loss=math.nan if data["loss"] is None else float(data["loss"]),
        distance=float(data["distance"]),
        guarantee=Guarantee.from_dict(data["guarantee"]),
        calibration=None if given is None else _read_calibration(privacy, given, exact.bound()),
        unit=_read_calibration(privacy, data["unit"], public_bound(program, S)),
        residual=-math.inf if data["residual"] is None else float(data["residual"]),
    )


def _check_proof(privacy: Privacy, exact: FixedMap, given: dict[str, Any] | None) -> None:
    """A policy whose noise does not cover the sensitivity of its map is refused."""
    k = -1000 if given is None else int(given["exponent"])
    Delta = exact.sensitivity(privacy.alpha, privacy.order, k)
    covered = 0.0 if given is None else float(given["sensitivity"])
    moves = any(int(value) for value in exact.matrix.ravel())
    if moves if given is None else Delta > covered:
        raise ValueError


def _finite(value: float) -> float | None:
    """None for what JSON cannot say: a loss against no cost, a residual of no rows."""
    return value if math.isfinite(value) else None


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
