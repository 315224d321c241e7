"""A program, a query and noise as an affine model in scaled variables (`scaled`).

Noise is counted in units of its own: that of a plan in its own size, that of a policy, whose size
is a decision, in the size of what is released. Entries of the private data count in half the width
of their domain.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Sparse, Vector
from privopt.noise.calibration import Calibration
from privopt.solving.directions import Directions
from privopt.solving.equilibration import scaled
from privopt.solving.margins import Cuboid
from privopt.solving.particular import Particular
from privopt.solving.program import Objective, Program
from privopt.solving.projector import Projector
from privopt.solving.scaled import Gain, ScaledProgram
from privopt.solving.scaling import Scaling
from privopt.solving.specification import Specification

__all__ = ["conditions", "posed"]

_FLAT = 1e-6  # of the largest cost: what K_0 pays for a variable without one


def posed(
    program: Program,
    S: Sparse,
    calibration: Calibration,
    scaling: Scaling,
    particular: Particular,
    target: Vector,
    objective: Objective | None = None,
    still: NDArray[np.bool_] | None = None,
    asked: Specification | None = None,
) -> ScaledProgram:
    """The affine model of a plan, or of the policy that is `asked` for."""
    A, G = scaling.rows(program.rows.matrix), scaling.independent(program)
    query: Any = scaled(S, scaling.columns)
    size = float(np.sqrt(np.asarray(query.multiply(query).sum(axis=1))).max(initial=0.0)) or 1.0
    W = None if asked is None or asked.silent else asked.measure
    unit = calibration.scale if asked is None or W is not None else size
    query = query / size
    C: Any = conditions(program, S, scaling)
    linear, quadratic = scaling.linear(program.linear), scaling.quadratic(program.quadratic)
    energy = scaling.kappa * particular.energy * unit**2
    fidelity = 0.0 if asked is None else scaling.kappa * asked.fidelity * size**2
    if asked is not None and fidelity and asked.answer is not None:
        # A fidelity that outweighs the cost sets the unit of the objective.
        whole = 1.0 / max(1.0, fidelity)
        fidelity = whole * fidelity
        linear = whole * linear - 2 * fidelity * np.asarray(query.T @ (asked.answer[0] / size))
        quadratic = sp.csr_array(whole * quadratic + fidelity * (query.T @ query))
        energy = whole * energy + fidelity * S.shape[0] * (unit / size) ** 2
    noisy = asked is None or not asked.silent
    nu = 1.0  # the recourse of a policy is as large as its level
    if asked is None:
        nu = unit * float((particular.largest / scaling.columns).max()) or 1.0
    if asked is not None and W is not None:
        C, energy = G, 0.0
        # That of a rule moves z as the data do, by so much less as the noise does the measurement.
        reach = float((np.abs(W) @ (0.5 * (asked.high - asked.low))).max(initial=0.0))
        nu = min(1.0, unit / reach) if reach else 1.0
    gain = None
    if asked is not None and len(asked.low):
        gain = _gain(program, calibration, scaling, asked, G, C, query, quadratic, fidelity / size)
        if W is not None:
            half = 0.5 * (asked.high - asked.low)
            gain = replace(gain, measure=(nu / unit) * W * half)
    ways = Directions.of(A)
    norms = (unit / nu) * scaling.row_factors * particular.row_norms
    deviation = None if objective is None else objective.deviation(program, S.shape[0])
    L, T = (None, None) if deviation is None else deviation
    return ScaledProgram(
        linear=linear,
        quadratic=quadratic,
        A=A,
        directions=ways,
        G=G,
        d=scaling.targets(target)[program.independent],
        C=C,
        particular=particular if noisy else None,
        units=unit / (nu * scaling.columns),
        norms=norms[ways.lead],
        nu=nu,
        energy=energy / nu**2,
        variance=calibration.law.variance,
        unit=unit / calibration.scale,
        floor=None if asked is None or W is not None else asked.floor * calibration.scale / unit,
        gain=gain,
        phi=0.0 if objective is None else objective.phi,
        L=None if L is None else scaling.cost_map(L),
        T=T,
        still=None if still is None else np.flatnonzero(still.T.ravel()),
    )


def conditions(program: Program, S: Sparse, scaling: Scaling) -> Sparse:
    """[G; S] in scaled variables, each row in units of its own."""
    query = scaled(S, scaling.columns, scaling.query_factors(S))
    C: Any = sp.vstack([scaling.independent(program), query], format="csr")
    return C


def _gain(
    program: Program,
    calibration: Calibration,
    scaling: Scaling,
    asked: Specification,
    G: Sparse,
    C: Sparse,
    query: Sparse,
    quadratic: Sparse,
    fidelity: float,
) -> Gain:
    """What is asked of K; K_0 is that of least cost, or near it."""
    half = 0.5 * (asked.high - asked.low)
    F = (scaling.equality_factors[:, None] * (asked.F.toarray() * half))[program.independent]
    largest = float(np.abs(quadratic.data).max(initial=0.0)) or 1.0
    weight: Any = quadratic / largest + _FLAT * sp.eye_array(program.n)
    conditions = C if asked.silent else G
    right = np.vstack([F, np.zeros((conditions.shape[0] - G.shape[0], len(half)))])
    start = Projector(conditions, sp.csr_array(weight)).correction(right)
    credit = np.zeros((program.n, len(half)))
    if fidelity and asked.answer is not None:
        credit = np.asarray(query.T @ (fidelity * asked.answer[1] / half))
    return Gain(
        start=start,
        C=conditions,
        query=query,
        box=Cuboid(asked.low / half, asked.high / half),
        variance=asked.variance / half**2,
        reach=asked.reach / half,
        order=asked.order,
        ratio=calibration.sensitivity / calibration.scale,
        owner=np.arange(len(half)) if asked.owner is None else asked.owner,
        credit=credit,
        rank=asked.rank,
    )
