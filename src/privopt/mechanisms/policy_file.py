"""A policy as plain data: public values only, numbers that read back to the same bits.

The file holds the program without d, so that a loaded policy can release, complete and verify by
itself. What it claims of privacy is not read: the claim is made anew from the map and the noise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privopt.claims.guarantee import Guarantee
from privopt.kernel.fixed import FixedMap
from privopt.kernel.policy_claim import policy_claim
from privopt.kernel.wire import HEAD
from privopt.ledger.request import digest
from privopt.mechanisms.policy import Policy
from privopt.model.magnitude import public_bound
from privopt.model.program_file import matrix, program_from_dict, program_to_dict, read_matrix
from privopt.noise.calibration import Calibration, Privacy
from privopt.noise.neighbours import widened
from privopt.noise.registry import from_dict as noise_from_dict
from privopt.plain import floats, integer, listed, number, texts
from privopt.solving.affine import Affine, Recourse

__all__ = ["from_dict", "to_dict"]


def to_dict(policy: Policy) -> dict[str, Any]:
    """Plain data for JSON."""
    return {
        "program": program_to_dict(policy.program),
        "query": matrix(policy.S),
        "names": list(policy.names),
        "noise": policy.privacy.to_dict(),
        "offset": policy.offset.tolist(),
        "gain": policy.gain.tolist(),
        "recourse": np.asarray(policy.recourse).tolist(),
        "map": policy.map.to_dict(),
        "sensitivity": policy.sensitivity,
        "cost": policy.cost,
        "loss": _finite(policy.loss),
        "distance": policy.distance,
        **_accuracy(policy),
        "residual": _finite(policy.residual),
        "guarantee": policy.guarantee.to_dict(),
        "unit": _calibration(policy.unit),
        "calibration": _made(policy),
    }


def from_dict(data: dict[str, Any]) -> Policy:
    """The policy that `to_dict` wrote; ValueError or KeyError if it is none."""
    program, privacy = program_from_dict(data["program"]), noise_from_dict(data["noise"])
    exact, p = FixedMap.from_dict(data["map"]), len(listed(data["names"]))
    n, q = program.n, len(program.private)
    if exact.matrix.shape != (p, q):
        raise ValueError
    S, given = read_matrix(data["query"], p, n), data["calibration"]
    noise = None if given is None else _read_calibration(privacy, given, p, exact.bound())
    noise = _charged(privacy, exact, noise)
    claims = Guarantee.from_dict(data["guarantee"])
    return Policy(
        program=program,
        S=S,
        names=texts(data["names"], p),
        privacy=privacy,
        affine=Affine(
            floats(data["offset"], n),
            Recourse(floats(data["recourse"], n, p)),
            floats(data["gain"], n, q),
        ),
        map=exact,
        sensitivity=number(data["sensitivity"]),
        cost=number(data["cost"]),
        loss=math.nan if data["loss"] is None else number(data["loss"]),
        distance=number(data["distance"]),
        # Version 1 has neither.
        errors=floats(data["errors"], p) if "errors" in data else None,
        spreads=floats(data["spreads"], p) if "spreads" in data else None,
        guarantee=Guarantee(policy_claim(privacy, noise), claims.feasibility),
        calibration=noise,
        unit=_read_calibration(privacy, data["unit"], p, public_bound(program, S)),
        residual=-math.inf if data["residual"] is None else number(data["residual"]),
        origin=digest({name: item for name, item in data.items() if name not in HEAD}),
    )


def _accuracy(policy: Policy) -> dict[str, Any]:
    """What a policy of version 1 does not know is left out: it stays the same policy."""
    known = {"errors": policy.errors, "spreads": policy.spreads}
    return {name: values.tolist() for name, values in known.items() if values is not None}


def _charged(privacy: Privacy, exact: FixedMap, noise: Calibration | None) -> Calibration | None:
    """The noise with what it costs for the curator's neighbours.

    A policy whose noise does not cover the sensitivity of its map is refused. Version 0.1.0
    calibrated to data that are alpha apart as floats: where that is less than what neighbours can
    be apart, the noise stays as it is and the charge is what is true of it, above what was asked.
    """
    if noise is None:
        if any(int(value) for value in exact.matrix.ravel()) or exact.bound() == math.inf:
            raise ValueError
        return None
    order, k = privacy.order, noise.exponent
    if exact.sensitivity(privacy.alpha, order, k) > noise.sensitivity:
        raise ValueError
    Delta = exact.sensitivity(widened(privacy.alpha, *exact.box), order, k)
    return noise if Delta <= noise.sensitivity else privacy.recharged(noise, Delta)


def _made(policy: Policy) -> dict[str, Any] | None:
    """The noise as it was made, before any new charge."""
    noise = policy.calibration
    if noise is not None and noise.made_for is not None:
        bound = policy.map.bound()
        noise = policy.privacy.calibrate(noise.size, noise.made_for, bound=bound)
    return None if noise is None else _calibration(noise)


def _finite(value: float) -> float | None:
    """None for what JSON cannot say: a loss against no cost, a residual of no rows."""
    return value if math.isfinite(value) else None


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


def _read_calibration(
    privacy: Privacy, data: dict[str, Any], size: int, bound: float | None
) -> Calibration:
    """Made again and compared: a file that claims another scale, grid or charge is refused."""
    Delta = number(data["sensitivity"])
    found = privacy.calibrate(integer(data["size"], size, size), Delta, bound=bound)
    if _calibration(found) != data:
        raise ValueError
    return found
