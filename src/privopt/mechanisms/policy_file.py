"""A policy as plain data: public values only, numbers that read back to the same bits.

The file holds the program without d, so that a loaded policy can release, complete and verify by
itself. What it claims of privacy is not read: the kernel makes the claim anew from map and noise.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privopt.digits import finite
from privopt.kernel.policy import PolicyKernel, calibration_from_dict, calibration_to_dict
from privopt.mechanisms.policy import Policy
from privopt.model.magnitude import public_bound
from privopt.model.program_file import matrix, program_from_dict, program_to_dict, read_matrix
from privopt.plain import floats, number
from privopt.solving.affine import Affine, Recourse

__all__ = ["from_dict", "to_dict"]


def to_dict(policy: Policy) -> dict[str, Any]:
    """Plain data for JSON."""
    kernel = policy.kernel.to_dict()
    return {
        "program": program_to_dict(policy.program),
        "query": matrix(policy.S),
        "names": kernel["names"],
        "noise": kernel["noise"],
        "offset": policy.offset.tolist(),
        "gain": policy.gain.tolist(),
        "recourse": np.asarray(policy.recourse).tolist(),
        "map": kernel["map"],
        "sensitivity": policy.sensitivity,
        "cost": policy.cost,
        "loss": finite(policy.loss),
        "distance": policy.distance,
        **_accuracy(policy),
        "residual": finite(policy.residual),
        "guarantee": kernel["guarantee"],
        "unit": calibration_to_dict(policy.unit),
        "calibration": kernel["calibration"],
    }


def from_dict(data: dict[str, Any]) -> Policy:
    """The policy that `to_dict` wrote; ValueError or KeyError if it is none."""
    kernel, program = PolicyKernel.from_dict(data), program_from_dict(data["program"])
    n, q, p = program.n, len(program.private), len(kernel.names)
    S = read_matrix(data["query"], p, n)
    return Policy(
        program=program,
        S=S,
        kernel=kernel,
        affine=Affine(
            floats(data["offset"], n),
            Recourse(floats(data["recourse"], n, p)),
            floats(data["gain"], n, q),
        ),
        sensitivity=number(data["sensitivity"]),
        cost=number(data["cost"]),
        loss=math.nan if data["loss"] is None else number(data["loss"]),
        distance=number(data["distance"]),
        # Version 1 has neither.
        errors=floats(data["errors"], p) if "errors" in data else None,
        spreads=floats(data["spreads"], p) if "spreads" in data else None,
        unit=calibration_from_dict(kernel.privacy, data["unit"], p, public_bound(program, S)),
        residual=-math.inf if data["residual"] is None else number(data["residual"]),
    )


def _accuracy(policy: Policy) -> dict[str, Any]:
    """What a policy of version 1 does not know is left out: it stays the same policy."""
    known = {"errors": policy.errors, "spreads": policy.spreads}
    return {name: values.tolist() for name, values in known.items() if values is not None}
