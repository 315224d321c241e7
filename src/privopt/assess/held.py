"""The steepest pairs of the map with recourse and margins held at those of the middle.

That map is not the paper's, which optimises the recourse for each d, but near to it; and its pieces
are known (`regions`), thin and steep ones too, which no random point would meet. Pairs on them are
moved apart (`ascent`) and handed to the search as a start.
"""

from __future__ import annotations

import math

import numpy as np

from privopt.arrays import Vector
from privopt.assess.ascent import Ascent
from privopt.assess.farthest import chord
from privopt.assess.pairs import INSIDE, KEPT, Pair
from privopt.assess.pieces import FloatPieces
from privopt.assess.regions import enumerate_regions
from privopt.errors import PrivoptError, SolverError
from privopt.mechanisms.certified import Certified, form_of
from privopt.mechanisms.planning import planned
from privopt.mechanisms.private_data import PrivateData
from privopt.mechanisms.question import Question

__all__ = ["steep_pairs"]

_PIECES = 3000  # that are looked at, over the number of private entries,
_MOST = 150  # or so many,
_ENTRIES = 3  # each along its steepest entries


def steep_pairs(question: Question, data: PrivateData) -> list[Pair]:
    """Pairs on the steepest pieces of the map with recourse and margins held; none without it."""
    program, privacy, S = question.program, question.privacy, question.S
    middle = 0.5 * (data.lower + data.upper)
    try:
        form = form_of(program, data)
        certificate = privacy.sensitivity
        if question.feasibility is not None and isinstance(certificate, Certified):
            form = form.bounded(program.rows.bound - certificate.margins)
        elif question.feasibility is not None:
            plan = planned(question.at(data.target(middle)[: program.G.shape[0]]))
            spread = plan.calibration.scale * plan.recourse.under(program.rows.matrix)
            deviation = math.sqrt(plan.calibration.law.variance)
            form = form.bounded(program.rows.bound - plan.margins.value(spread, deviation))
    except PrivoptError:  # linear cost, or no plan in the middle: the search goes on without
        return []
    half = 0.5 * (data.upper - data.lower)[data.moving]
    reach, unit = np.minimum(privacy.alpha, 2 * half) / half, np.eye(len(half))
    ascent = Ascent(form, S, reach, privacy.order)
    found: list[tuple[float, int, Vector, float]] = []
    try:
        limit = max(1, min(_MOST, _PIECES // form.size))
        pieces = enumerate_regions(FloatPieces(form, S, privacy.order), limit=limit)
        for piece, centre in zip(pieces.pieces, pieces.centres, strict=True):
            for j in np.argsort(-piece.slopes * reach)[:_ENTRIES].tolist():
                # Through the centre as far as the piece goes, and whole steps around it.
                low, high = chord(piece, centre, j)
                for start, length in [(low, high - low), (-reach[j], 2.0), (-reach[j] / 2, 2.0)]:
                    v = np.clip(centre + start * unit[j], -1.0, 1.0)
                    t = min(length, float(reach[j]), 1.0 - float(v[j]))
                    if t > 0:
                        size = float(np.linalg.norm(ascent.moved(v, j, t), ord=privacy.order))
                        found.append((size, j, v, t))
        found.sort(key=lambda item: -item[0])
        climbed = [(j, *ascent.climb(v, j, t)) for _, j, v, t in found[:KEPT]]
    except SolverError:
        return []
    pairs: list[Pair] = []
    for j, v, t in climbed:
        u = middle.copy()
        u[data.moving] += half * v
        pairs.append(Pair(u, int(data.moving[j]), INSIDE * t * float(half[j])))
    return pairs
