"""Cone rows as plain data, in and out of files, to the same bits.

{"kinds": ["second-order", "exponential", ["power", 0.25]], "matrix": .., "offset": ..,
"names": ..}
"""

from __future__ import annotations

from typing import Any, cast

from privopt.model.matrix_file import matrix, read_matrix
from privopt.plain import floats, listed, number, texts
from privopt.solving.cone_rows import ConeRows
from privopt.solving.problem import Cone, Kind

__all__ = ["cones_from_dict", "cones_to_dict"]

_PLAIN = {Kind.SECOND_ORDER.value: Cone.second_order(3), Kind.EXPONENTIAL.value: Cone.exponential()}


def cones_to_dict(cones: ConeRows) -> dict[str, Any]:
    """Plain data for JSON."""
    return {
        "kinds": [
            [cone.kind.value, cone.power] if cone.kind is Kind.POWER else cone.kind.value
            for cone in cones.cones
        ],
        "matrix": matrix(cones.matrix),
        "offset": cones.offset.tolist(),
        "names": list(cones.names),
    }


def cones_from_dict(data: object, n: int) -> ConeRows:
    """What `cones_to_dict` wrote, over n variables; ValueError if it is none."""
    if not isinstance(data, dict):
        raise TypeError
    given = cast("dict[str, Any]", data)
    cones = tuple(_cone(kind) for kind in listed(given["kinds"]))
    size = 3 * len(cones)
    return ConeRows(
        cones,
        read_matrix(given["matrix"], size, n),
        floats(given["offset"], size),
        texts(given["names"], len(cones)),
    )


def _cone(kind: object) -> Cone:
    if isinstance(kind, str):
        if kind not in _PLAIN:
            raise ValueError
        return _PLAIN[kind]
    name, power = listed(kind)
    if name != Kind.POWER.value or not 0 < number(power) < 1:
        raise ValueError
    return Cone.of_power(number(power))
