"""Models of one program for different working sets, each in the smallest form with its optimum.

A model is written down with margins on the working rows, and then goes through the `reductions`,
each of which accepts it or not: `LowRank`, `Responses`. Whatever comes of it, its `point` takes a
solution back to z and Z. Under a box such a model is solved column by column
(`column_program`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Vector
from privopt.solving.basis import basis
from privopt.solving.compile import Model
from privopt.solving.directions import Positions
from privopt.solving.equilibration import scaled
from privopt.solving.margins import Cuboid
from privopt.solving.refinement import Refinement
from privopt.solving.response import Response
from privopt.solving.scaled import ScaledProgram, watched

__all__ = ["Models", "Reduction"]

_DENSE = 20_000_000  # numbers of the program in terms of the working rows, at most


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
        del model
        return refine.model.is_norm and not len(refine.cuts.rows)

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


class Models:
    """What models of a program are made from, computed once.

    `near` is an optimum without noise; `plain` asks for the model as it is written down.
    """

    def __init__(self, data: ScaledProgram, near: Vector, *, plain: bool = False) -> None:
        self.data, self.plain, self.near = data, plain, near

    @property
    def by_answers(self) -> bool:
        """Whether an optimal recourse is made of answers to the working rows."""
        return self.data.particular.definite and not self.plain

    @cached_property
    def movable(self) -> NDArray[np.bool_]:
        """For each direction, whether its margin can change."""
        data = self.data
        return data.particular.moves(scaled(data.directions.D, data.units))

    def columnwise(self, box: Cuboid) -> bool:
        """Whether models under a box can be solved column by column."""
        return self.by_answers and self.data.phi == 0 and bool((box.high > box.low).all())

    def by_columns(self, refine: Refinement, groups: Positions, held: Positions) -> Model | None:
        """The model made of answers; None where there is none of moderate size."""
        model = self.by_cones(refine, groups, held)
        return model if model.noise.prices is not None and model.noise.rows.nnz else None

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
        return LowRank(), *([Responses()] if self.by_answers else [])
