"""The noise directions that matter: an orthonormal basis R of the row span of D_W Z_0.

With margins that are multiples of the 2-norm, the program with the working directions W has an
optimal Z = Z_0 + Y R: projecting Z - Z_0 on that span changes no equality and no query, and makes
no margin of W and no cost larger (Z_0 costs least). What the objective looks at joins the span: the
rows L Z_0 of a deviation ||L Z||, the columns T of a deviation ||Z T||.

Random combinations of the rows find the span at the price of its rank, not of |W|.
"""

from __future__ import annotations

import numpy as np

from privopt.arrays import Dense
from privopt.solving.directions import Positions
from privopt.solving.equilibration import scaled
from privopt.solving.scaled import ScaledProgram

__all__ = ["basis"]

_START = 24  # combinations tried first
_SPARE = 6  # beyond the rank, before it is believed
_RANK = 1e-9  # singular values below this part of the largest are rounding
_SMALL = 16  # noise directions that are not worth a basis
_WORTH = 0.8  # a basis of more than this part of all directions is not worth it


def basis(data: ScaledProgram, working: Positions) -> Dense | None:
    """R, or None where all directions are needed."""
    p = data.noise_dimensions
    particular = data.particular
    if p <= _SMALL:
        return None
    objective_rows: list[Dense] = []
    if data.phi > 0 and data.T is not None:
        if data.T.shape[1] < p:
            objective_rows.append(data.T.T)
        elif data.L.shape[0] == 1:
            objective_rows.append(particular.under(np.asarray((data.L * data.units).toarray())))
        else:
            return None
    most = int(_WORTH * p)
    size = data.norms[working]
    nonzero = working[size > 0]
    D = scaled(data.directions.D[nonzero], data.units, 1.0 / data.norms[nonzero])
    count = _START
    while True:
        enough = count >= min(len(nonzero), p)
        if enough and len(nonzero) <= p:
            mixed: Dense = D.toarray()
        else:
            mix = np.random.default_rng(5).normal(size=(min(count, p), len(nonzero)))
            mixed = np.asarray(D.T @ mix.T).T
        rows = np.vstack([particular.under(mixed), *objective_rows])
        _, sizes, R = np.linalg.svd(_normalised(rows), full_matrices=False)
        rank = int((sizes > _RANK * sizes[:1]).sum()) if len(sizes) else 0
        if rank > most:
            return None
        if enough or rank <= count - _SPARE:
            return R[:rank]
        count *= 3


def _normalised(rows: Dense) -> Dense:
    size = np.linalg.norm(rows, axis=1)
    return rows[size > 0] / size[size > 0][:, None]
