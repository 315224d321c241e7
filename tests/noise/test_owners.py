"""Owners who share entries: one form for each relation, and what it protects by brute force."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privopt as po
from privopt.kernel.fixed import FixedMap
from privopt.noise import registry
from privopt.noise.neighbours import Neighbours
from privopt.noise.owners import grouped, normal

NAMES = ("ann", "bob", "eve", "dan")
OWNED = st.lists(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True).map(tuple),
    min_size=1, max_size=6,
)  # fmt: skip


def groups_of(owners: Any) -> set[frozenset[int]]:
    """The entries of each owner, those within others left out, by plain sets."""
    every = {frozenset(k for k, own in enumerate(owners) if name in own) for name in NAMES}
    every.discard(frozenset())
    return {one for one in every if not any(one < other for other in every)}


@given(OWNED)
def test_the_form_has_the_largest_groups(owners: Any) -> None:
    found = normal(owners)
    assert {frozenset(group) for group in grouped(found)} == groups_of(owners)
    assert normal(found) == found


@given(OWNED, st.permutations(NAMES))
def test_the_names_of_owners_do_not_matter(owners: Any, names: list[str]) -> None:
    other = dict(zip(NAMES, names, strict=True))
    renamed = [tuple(other[one] for one in own) for own in owners]
    assert normal(owners) == normal(renamed)


def test_customers_of_one_bus_over_hours_are_one_owner() -> None:
    """Whoever is at a bus in all hours: the groups are the buses, and do not meet."""
    hours = [("ann", "bob"), ("eve",)] * 3
    relation = Neighbours.of(0.1, tuple(hours), "each")
    assert relation.owners == (0, 1, 0, 1, 0, 1)


def test_a_relation_of_owners_who_share_reads_back() -> None:
    noise = po.Laplace(epsilon=1.0, alpha=0.1, owners=[["ann"], ["ann", "bob"], ["bob"]])
    relation = noise.neighbours
    assert relation.together == 2
    assert registry.from_dict(noise.to_dict()).neighbours == relation
    assert relation.holds(np.array([0.1, 0.1, 0.0]))
    assert not relation.holds(np.array([0.1, 0.0, 0.1]))
    assert not relation.holds(np.array([0.1, 0.2, 0.0]))


@settings(max_examples=60, deadline=None)
@given(
    OWNED, st.integers(1, 3), st.integers(0, 2**32), st.sampled_from([1, 2]),
    st.sampled_from(["each", "total"]),
)  # fmt: skip
def test_the_sensitivity_covers_every_change_of_one_owner(
    owners: Any, rows: int, seed: int, order: int, change: Any
) -> None:
    """All sign patterns of one owner's largest changes (corners), against the bound of the map."""
    rng, size = np.random.default_rng(seed), len(owners)
    W, alpha = rng.integers(-3, 4, (rows, size)).astype(float), rng.integers(1, 4, size) / 8
    relation = Neighbours.of(tuple(alpha.tolist()), tuple(owners), change)
    exact = FixedMap.of(W, np.zeros(rows), np.full(size, -50.0), np.full(size, 50.0), 0.125)
    worst = 0.0
    for group in groups_of(owners):
        at = sorted(group)
        if change == "each":
            for signs in itertools.product((-1.0, 1.0), repeat=len(at)):
                worst = max(worst, np.linalg.norm(W[:, at] @ (alpha[at] * signs), ord=order))
        else:
            worst = max(worst, *(float(np.linalg.norm(W[:, j] * alpha[j], ord=order)) for j in at))
    bound = exact.sensitivity(relation, order, -60)
    assert bound >= worst
    absolute = max(
        float(np.linalg.norm(np.abs(W[:, sorted(g)]) @ alpha[sorted(g)], ord=order))
        for g in groups_of(owners)
    )
    assert bound <= absolute + 1e-4


def test_owners_may_share_entries() -> None:
    noise = po.Laplace(epsilon=1.0, alpha=0.1, owners={"a": ["ann", "bob"], "b": ["bob", "eve"]})
    assert noise.aligned(["a", "b"]).neighbours.groups(2) == [[0, 1]]  # the others lie within bob
    three = po.ConvexProgram(
        linear=[1, 2, 3, 4, 5, 6], quadratic=np.ones(6), G=np.hstack([np.eye(3), np.eye(3)]),
        lower=0, upper=9, data_names=["a", "b", "c"],
    )  # fmt: skip
    noise = po.Laplace(epsilon=1.0, alpha=0.1, owners=[["ann"], ["ann", "bob"], ["bob"]])
    sums = po.Instrument({"all": [0, 1, 2]}, program=three, privacy=noise, domain=po.Box(1, 2))
    assert sums.calibration is not None
    assert sums.calibration.sensitivity == pytest.approx(0.2, rel=1e-6)
