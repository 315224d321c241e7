"""What an affine rule measures (`design(..., measure=W)`), and whether it can answer at all.

    values = q0 + T y,   y = W u + xi:      z = z0 + K u + Z xi,   G K = F,  G Z = 0,  S K = S Z W

The noise is that of W: its scale is a constant of the design, and no recourse need carry noise on
every value by itself. All that is asked of the query is a K with G K = F and S K = 0: no released
value may be fixed by the equalities to something private, which could not be told without noise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from privopt.arrays import Sparse
from privopt.errors import CombinationError, NotImplementableError
from privopt.foreign import some
from privopt.kernel.instrument import Instrument
from privopt.model.determined import determined, determined_error
from privopt.model.domain import Box
from privopt.model.program import ConvexProgram
from privopt.noise.calibration import Privacy
from privopt.solving.equilibration import balanced, scaled
from privopt.solving.projector import Projector
from privopt.solving.sparse import stacked

__all__ = ["check_answerable", "check_measured", "instrument_of"]

_MIXED = 3  # random changes of the data that all values are looked at under
_FIXED = 1e-7  # of a unit change of the data: what a released value moves by more is fixed by them


def instrument_of(
    measure: Any,  # noqa: ANN401 -- the edge
    program: ConvexProgram,
    privacy: Privacy,
    domain: Box,
) -> Instrument:
    """The instrument of `measure`: itself if it is one of this design, or made for its W."""
    if not isinstance(measure, Instrument):
        return Instrument(measure, program=program, privacy=privacy, domain=domain)
    made = Instrument(
        measure.W, program=program, privacy=privacy, domain=domain, names=measure.names
    )
    given, needed = measure.to_dict(), made.to_dict()
    parts = {
        "data_names": "other data",
        "private": "other private entries",
        "noise": "other noise",
        "map": "another domain",
        "calibration": "another calibration of the noise",
    }
    for name, what in parts.items():
        if given[name] != needed[name]:
            raise CombinationError(
                f"the instrument of measure= was made for {what} than the design.",
                "the program, noise and domain of the instrument.",
                "pass the same to design, or measure=instrument.W.",
            )
    return measure


def check_answerable(program: ConvexProgram, S: Sparse, F: Sparse, names: tuple[str, ...]) -> None:
    """Raise if the equalities fix a released value to something private."""
    C = stacked(program.equalities.matrix, S)
    factors, columns = balanced(C)
    both = scaled(C, columns, factors)
    moved: Any = scaled(F, np.ones(F.shape[1]), factors[: F.shape[0]])
    size = np.asarray(np.abs(moved).max(axis=0).todense()).ravel()
    mixed = np.random.default_rng(0).normal(size=(F.shape[1], _MIXED))  # some changes of all data
    right = np.vstack([moved @ (mixed.T / np.where(size > 0, size, 1.0)).T,
                       np.zeros((S.shape[0], _MIXED))])  # fmt: skip
    off = right - both @ Projector(both).correction(right)
    bad = np.abs(off[F.shape[0] :]).max(axis=1, initial=0.0) > _FIXED
    if np.abs(off).max(initial=0.0) <= _FIXED:
        return
    conflicts = determined(program, S, F)
    if conflicts:
        raise determined_error(conflicts, names)
    fixed = [name for name, one in zip(names, bad, strict=True) if one] or list(names)
    raise NotImplementableError(
        f"the released {some(fixed, 6, count=True)} follows from the private data alone, nearly.",
        "values that the private data leave open, so that unreleased variables can follow them.",
        "release fewer values, or something else.",
        tuple(fixed),
    )


def check_measured(floor: float, structure: object) -> None:
    """Refuse what makes no sense beside `measure`."""
    if floor > 0:
        raise CombinationError(
            "floor was asked with measure=.",
            "one of them: the noise of a measurement has the scale that W needs, and no level.",
            "leave floor out; fidelity= or Within(distance) asks for values that tell more.",
        )
    if structure is not None:
        raise CombinationError(
            "structure was asked with measure=.",
            "one of them.",
            "leave structure out.",
        )
