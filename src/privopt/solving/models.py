"""Models of one program for different working sets, each in the smallest form with its optimum.

A model is written down with margins on the working rows, and then goes through the `reductions`,
each of which accepts it or not: `LowRank`, `Responses`, `Eliminated`. Whatever comes of it, its
`point` takes a solution back to z, K and Z. Column by column (`column_program`), the gain and
recourse of a policy are numbers in a basis (`gain_space`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol

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
from privopt.solving.rule_space import RuleSpace
from privopt.solving.scaled import ScaledProgram, watched
from privopt.solving.space import Elimination, Space

__all__ = ["Models", "Reduction"]

_DENSE = 20_000_000  # numbers of the program in terms of the working rows, at most
_LARGEST = 4000  # variables of a program whose gain has a dense basis
_ENTRIES = 300  # of the answer T of an affine rule, at most, column by column
_TRACE = 1e-8  # of a cost, in Newton steps alone: what they leave over is solved for again


class Reduction(Protocol):
    """A way to a model with the same optimum and fewer numbers; its `point` lifts a solution."""

    def accepts(self, model: Model, refine: Refinement) -> bool:
        """Whether the model has such a form under these margins."""
        ...

    def apply(self, model: Model) -> Model:
        """The model in that form."""
        ...


class LowRank:
    """Under 2-norms: no more noise directions than the working rows show (`basis`)."""

    def accepts(self, model: Model, refine: Refinement) -> bool:
        """Under 2-norms alone."""
        free = model.noise is not None and model.data.measure is None
        return free and refine.model.is_norm and not len(refine.cuts.rows)

    def apply(self, model: Model) -> Model:
        """The model in a basis R."""
        return replace(model, R=basis(model.data, np.concatenate([model.working, model.held])))


class Responses:
    """Where C2 is definite: a recourse made of answers to the working rows (`response`)."""

    def __init__(self) -> None:
        self._response: Response | None = None  # for the held rows of the round before

    def accepts(self, model: Model, refine: Refinement) -> bool:
        """While it is of moderate size, without cuts."""
        dense = refine.model.box is None or model.data.phi == 0
        small = len(model.working) ** 2 * model.rank <= _DENSE
        return dense and small and not len(refine.cuts.rows)

    def apply(self, model: Model) -> Model:
        """The model with one number for each working row and noise direction."""
        data = model.data
        held = data.directions.columns(model.held)
        if self._response is None or not np.array_equal(self._response.held, held):
            self._response = Response(data.C, data.quadratic, held)
        rows = watched(data, model.working)
        return replace(model, noise=self._response.space(rows, data.along(model.R)))


class Eliminated:
    """What only follows from other variables is left out of gain and recourse (`space`)."""

    def __init__(self) -> None:
        self._eliminations: dict[str, Elimination] = {}

    def accepts(self, model: Model, refine: Refinement) -> bool:
        """Unless it is made of answers already."""
        del refine
        return model.noise is None or model.noise.prices is None

    def apply(self, model: Model) -> Model:
        """The model in the variables that are left."""
        noise, gain = self._short("noise", model.noise), self._short("gain", model.gain)
        return replace(model, noise=noise, gain=gain)

    def _short(self, kind: str, plain: Space | None) -> Space | None:
        if plain is None:
            return None
        if kind not in self._eliminations:
            self._eliminations[kind] = Elimination(plain.K, plain.quadratic)
        return self._eliminations[kind].space(plain.watched)


class Models:
    """What models of a program are made from, computed once.

    `near` is an optimum without noise, `limits` are those of the rows; `plain` asks for the model
    as it is written down.
    """

    def __init__(
        self, data: ScaledProgram, near: Vector, limits: Vector, *, plain: bool = False
    ) -> None:
        self.data, self.plain, self.near, self._limits = data, plain, near, limits

    @property
    def by_answers(self) -> bool:
        """Whether an optimal recourse is made of answers to the working rows."""
        data = self.data
        definite = data.particular is not None and data.particular.definite
        return definite and not self.plain and data.gain is None

    @cached_property
    def movable(self) -> NDArray[np.bool_]:
        """For each direction, whether its margin can change by more than the level."""
        data = self.data
        if data.particular is None or data.gain is not None:
            return np.ones(len(data.directions.lead), dtype=bool)
        return data.particular.moves(scaled(data.directions.D, data.units))

    def movable_under(self, margins: Margins) -> NDArray[np.bool_]:
        """The same; column by column, a free level moves every margin."""
        if self.data.floor is not None and self.columnwise(margins):
            return np.ones_like(self.movable)
        return self.movable

    def columnwise(self, margins: Margins) -> bool:
        """Whether models under these margins can be solved column by column."""
        data, box = self.data, margins.box
        if self.plain or data.phi > 0 or (box is not None and not (box.high > box.low).all()):
            return False
        if data.gain is None:
            return self.by_answers and box is not None
        norms = box is not None or margins.deviations is not None
        if data.measure is not None:
            small = data.gain.query.shape[0] * data.noise_dimensions <= _ENTRIES
            return norms and small and len(data.linear) <= _LARGEST and self._rule is not None
        silent = data.noise_dimensions == 0
        return (silent or (data.gain.order == 1 and norms)) and len(data.linear) <= _LARGEST

    def by_columns(self, refine: Refinement, groups: Positions, held: Positions) -> Model | None:
        """The model in bases; None where there is none of moderate size."""
        data = self.data
        if data.gain is None:
            model = self.by_cones(refine, groups, held)
            by_answers = model.noise is not None and model.noise.prices is not None
            return model if by_answers and model.noise.rows.nnz else None  # pyright: ignore[reportOptionalMemberAccess]
        D, noise = data.directions.D[groups], None
        if self._rule is not None:
            noise = self._rule.noise.space(D, data.base)
            gain = self._rule.gain.space(D, data.gain.start)
            return Model(data, groups, held, noise, None, gain, self._rule)
        M: Any = D
        if data.noise_dimensions:
            M = sp.csr_array(sp.vstack([D, data.gain.query]))
            noise = self._noise_space.space(D, data.base)
        gain = self.spaces.gain.space(M, data.gain.start)
        return Model(data, groups, held, noise, None, gain)

    def by_cones(self, refine: Refinement, groups: Positions, held: Positions) -> Model:
        """The model for conic solvers: as it is written down, then every reduction of it."""
        model = Model.plain(self.data, groups, held)
        for reduction in self.reductions:
            if reduction.accepts(model, refine):
                model = reduction.apply(model)
        return model

    @cached_property
    def reductions(self) -> tuple[Reduction, ...]:
        """The smaller forms there are, in the order they are tried."""
        if self.plain or self.data.still is not None:
            return ()
        return LowRank(), *([Responses()] if self.by_answers else []), Eliminated()

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
    def _rule(self) -> RuleSpace | None:
        gain = self.data.gain
        if gain is None or gain.measure is None:
            return None
        return RuleSpace.of(self.data, gain, gain.measure)

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
