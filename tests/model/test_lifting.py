"""Towers of norms: the same sets as the norms themselves, and cones of three rows."""

from __future__ import annotations

import numpy as np
import pytest

from privopt.model.lifting import AffineForm, Lifting, forms, named


@pytest.mark.parametrize("rows", range(1, 10))
def test_a_tower_holds_where_the_norm_does(rows: int) -> None:
    rng = np.random.default_rng(rows)
    C, e, f = rng.normal(size=(rows, 3)) / rows, rng.normal(size=rows) / rows, rng.normal(size=3)
    parts = [AffineForm(range(3), row.tolist(), float(one)) for row, one in zip(C, e, strict=True)]
    lifting = Lifting(3)
    lifting.norm(parts, AffineForm(range(3), f.tolist(), 2.0), "a")
    assert len(lifting.cones) == max(rows - 1, 0)
    assert lifting.width == 3 + max(rows - 2, 0)
    A, b, names = lifting.rows
    assert names == (["a", "-a"] if rows == 1 else [])
    held = 0
    for _ in range(60):
        z = 1.5 * rng.normal(size=3)
        over = float(np.linalg.norm(C @ z + e) - f @ z - 2.0)
        if rows == 1:
            assert (np.asarray(A @ z) <= b).all() == (over <= 0)
            continue
        # The tower's tops are in another order where a part shares variables with the head.
        made = tower(lifting, z)
        assert (made <= 1e-12) == (over <= 1e-12) or abs(over) < 1e-9
        held += over <= 0
    assert rows == 1 or held


def tower(lifting: Lifting, z: np.ndarray) -> float:
    """How far the top of the tower is outside at the least norms below it."""
    cones, whole = lifting.cones, np.concatenate([z, np.zeros(lifting.width - len(z))])
    for k in range(lifting.width - lifting.n):  # norms within come before what they are in
        s = cones.values(whole[None])[0]
        whole[lifting.n + k] = np.hypot(s[k, 1], s[k, 2])
    return float(cones.outside(whole[None])[0].max())


def test_a_height_is_in_one_cone_of_its_tower() -> None:
    """||(2 x, 2 v, y - t)|| <= y + t."""
    lifting = Lifting(4)  # x, v, y, t
    parts = [AffineForm((0,), (2.0,)), AffineForm((1,), (2.0,)), AffineForm((2, 3), (1.0, -1.0))]
    lifting.norm(parts, AffineForm((2, 3), (1.0, 1.0)), "a")
    used = (lifting.cones.blocks.toarray() != 0)[:, 3]
    assert used.sum() == 1


def test_forms() -> None:
    a = AffineForm((0, 1), (2.0, 3.0), 1.0)
    b = a.plus(AffineForm.variable(1)).times(-2.0)
    assert list(b.columns) == [0, 1, 1]
    assert list(b.values) == [-4.0, -6.0, -2.0]
    assert b.constant == -2.0
    assert AffineForm.number(4.0).constant == 4.0
    lifting = Lifting(2)
    lifting.row(b, "row")
    lifting.row(a.plus(a.times(-1.0)), "none")
    A, limit, names = lifting.rows
    assert A.toarray().tolist() == [[-4.0, -8.0], [0.0, 0.0]]
    assert A.nnz == 2
    assert limit.tolist() == [2.0, 0.0]
    assert names == ["row", "none"]
    again = forms(A, np.array([1.0, 2.0]))
    assert (list(again[0].columns), list(again[0].values), again[1].constant) == (
        [0, 1], [-4.0, -8.0], 2.0,
    )  # fmt: skip


def test_names() -> None:
    assert named(None, "other") == named("", "other") == "other"
    assert named("own", "other") == "own"
