"""Models of one program for different working sets, each in the smallest form with its optimum.

- Where C2 is definite, an optimal recourse is made of answers to the working rows (`response`).
- Otherwise what only follows from other variables is eliminated (`space`).
- Under 2-norms the recourse has no more noise directions than its working rows show (`basis`).
- Column by column (`column_program`), gain and recourse are numbers in a basis (`gain_space`).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from privopt.arrays import Vector
from privopt.solving.basis import basis
from privopt.solving.compile import Model
from privopt.solving.directions import Positions
from privopt.solving.equilibration import scaled
from privopt.solving.gain_space import ColumnSpace, GainSpaces, noise_space
from privopt.solving.margins import Margins
from privopt.solving.normal import NormalEquations
from privopt.solving.refinement import Refinement
from privopt.solving.response import Response
from privopt.solving.scaled import ScaledProgram, watched
from privopt.solving.space import Elimination, Space

__all__ = ["Models"]

_DENSE = 20_000_000  # numbers of the program in terms of the working rows, at most
_LARGEST = 4000  # variables of a program whose gain has a dense basis
_TRACE = 1e-8  # of a cost, in Newton steps alone: what they leave over is solved for again


class Models:
    """What models of a program are made from, found once.

    `near` is an optimum without noise, `limits` are those of the rows; `plain` asks for the model
    as it is written down.
    """

    def __init__(
        self, data: ScaledProgram, near: Vector, limits: Vector, *, plain: bool = False
    ) -> None:
        self.data, self.plain, self.near, self._limits = data, plain, near, limits
        self._answers: Response | None = None

    @property
    def by_answers(self) -> bool:
        """Whether an optimal recourse is made of answers to the working rows."""
        data = self.data
        definite = data.particular is not None and data.particular.definite
        return definite and not self.plain and data.gain is None

    @cached_property
    def movable(self) -> NDArray[np.bool_]:
        """For each direction, whether its margin can change."""
        data = self.data
        if data.particular is None or data.gain is not None or data.floor is not None:
            return np.ones(len(data.directions.lead), dtype=bool)
        return data.particular.moves(scaled(data.directions.D, data.units))

    def columnwise(self, margins: Margins) -> bool:
        """Whether models under these margins can be solved column by column."""
        data, box = self.data, margins.box
        if self.plain or data.phi > 0 or (box is not None and not (box.high > box.low).all()):
            return False
        if data.gain is None:
            return self.by_answers and box is not None
        norms = box is not None or margins.deviations is not None
        silent = data.noise_dimensions == 0
        return (silent or (data.gain.order == 1 and norms)) and len(data.linear) <= _LARGEST

    def by_columns(self, refine: Refinement, groups: Positions, held: Positions) -> Model | None:
        """The model in bases; None where there is none of moderate size."""
        data = self.data
        if data.gain is None:
            model = self.by_cones(refine, groups, held)
            made = model.noise is not None and model.noise.prices is not None
            return model if made and model.noise.rows.nnz else None  # pyright: ignore[reportOptionalMemberAccess]
        D, noise = data.directions.D[groups], None
        M: Any = D
        if data.noise_dimensions:
            M = sp.csr_array(sp.vstack([D, data.gain.query]))
            noise = self._noise_space.space(D, data.base)
        gain = self.spaces.gain.space(M, data.gain.start)
        return Model(data, groups, held, noise, None, gain)

    def by_cones(self, refine: Refinement, groups: Positions, held: Positions) -> Model:
        """The model for conic solvers."""
        data, gain = self.data, None
        if self.plain:
            return Model.plain(data)
        if data.gain is not None:
            seen: Any = sp.vstack([data.directions.D[groups], data.gain.query], format="csr")
            gain = self._gains.space(seen)
        if not data.noise_dimensions:
            return Model(data, groups, held, None, None, gain)
        rows = watched(data, groups, held)
        if data.still is not None:
            return Model(data, groups, held, Space.plain(data.C, rows, data.quadratic), None)
        alone = not len(refine.cuts.rows)
        R = basis(data, np.concatenate([groups, held])) if refine.model.is_norm and alone else None
        dense = (refine.model.box is None or data.phi == 0) and alone
        r = data.noise_dimensions if R is None else len(R)
        if self.by_answers and dense and len(groups) ** 2 * r <= _DENSE:
            response = self._response(data.directions.columns(held))
            space = response.space(watched(data, groups), data.along(R))
            return Model(data, groups, held, space, R)
        return Model(data, groups, held, self._recourses.space(rows), R, gain)

    @cached_property
    def spaces(self) -> GainSpaces:
        """Of the gain, in a basis."""
        if self.data.gain is None:
            raise RuntimeError("a program without a gain has no space for it")
        return GainSpaces(self.data, self.data.gain, self.near, self._limits)

    @cached_property
    def _noise_space(self) -> ColumnSpace:
        return noise_space(self.data)

    @cached_property
    def _gains(self) -> Elimination:
        gain = self.data.gain
        return Elimination(self.data.G if gain is None else gain.C, self.data.quadratic)

    @cached_property
    def _recourses(self) -> Elimination:
        return Elimination(self.data.C, self.data.quadratic)

    def _response(self, held: NDArray[np.intp]) -> Response:
        """Answers under a set of held variables, kept for the next round."""
        if self._answers is None or not np.array_equal(self._answers.held, held):
            self._answers = Response(self.data.C, self.data.quadratic, held)
        return self._answers

    @cached_property
    def normal(self) -> NormalEquations:
        """The system for z. Where its cost is flat, a trace of one keeps it regular."""
        data = self.data
        if data.gain is None or not self.spaces.flat:
            return data.normal
        P: Any = 2 * data.quadratic
        trace = _TRACE * max(1.0, float(np.abs(P.data).max(initial=0.0)))
        flat: Any = P + trace * sp.eye_array(len(data.linear))
        return NormalEquations(sp.csr_array(flat), data.A, data.G)
