"""What simulations were asked about: the names of the released values, and a digest of it all.

    {"values": ["p[1]", "p[3]"], "digest": "5c1e..."}

Numbers that were simulated for one question say nothing about another one: an instrument keeps
this beside them, and whoever asks compares. The digest is of public data alone: the program without
private entries of d, the query, domain, limits, fidelity, prior and balance. Noise and sums are the
instrument's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from privopt.claims.facts import Possible
from privopt.digest import digest_of
from privopt.feasibility.protocol import Feasibility
from privopt.mechanisms.fidelity import Within
from privopt.mechanisms.private_data import balanced, known_data
from privopt.model.matrix_file import matrix
from privopt.model.program import ConvexProgram
from privopt.model.program_file import program_to_dict
from privopt.model.query import Query
from privopt.record import digest

__all__ = ["asked_of"]


def asked_of(
    program: ConvexProgram,
    query: Query,
    feasibility: Feasibility,
    domain: Possible,
    fidelity: float | Within = 0.0,
    *,
    prior: Any = None,  # noqa: ANN401 -- the edge
    balance: Any = None,  # noqa: ANN401 -- the edge
) -> dict[str, Any]:
    """What decisions are asked about, as plain data; private entries of d are not read."""
    names, own = query.names(program), program.private_names
    follow = balanced(program, balance)
    parts = [
        program_to_dict(program),
        known_data(program, follow),
        matrix(query.matrix(program)),
        list(names),
        digest_of(feasibility),
        digest_of(*domain.ends(own), *domain.slabs(own)),
        ["within", fidelity.distance] if isinstance(fidelity, Within) else float(fidelity),
        None if prior is None else digest_of(np.asarray(prior, dtype=float)),
        None if balance is None else [program.data_names[k] for k in follow],
    ]
    return {"values": list(names), "digest": digest(parts)}
