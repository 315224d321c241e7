"""Buses are drawn at their coordinates, or where a layout puts them, the same every time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

import privopt as po
from privopt.errors import InputError
from privopt.networks.crossings import crossings
from privopt.networks.placing import layout
from privopt.networks.stress import simple_lines


@pytest.mark.parametrize("name", ["3_lmbd", "14_ieee", "118_ieee"])
def test_near_in_the_network_is_near_in_the_drawing(name: str) -> None:
    network = po.networks.load(name)
    n, lines = len(network.buses), network.branches
    place = network.places
    assert place.shape == (n, 2)
    assert place.min() == 0
    assert place.max() == 1
    assert np.ptp(place[:, 0]) == pytest.approx(1.0)  # wider than high
    links = np.zeros((n, n))
    links[lines.source, lines.target] = 1
    far = shortest_path(links, directed=False, unweighted=True)
    apart = np.linalg.norm(place[:, None] - place[None], axis=2)
    upper = np.triu_indices(n, 1)
    if n > 3:
        assert np.corrcoef(apart[upper], far[upper])[0, 1] > 0.85


@pytest.mark.parametrize(("name", "most"), [("14_ieee", 1), ("39_epri", 0), ("118_ieee", 30)])
def test_few_lines_cross(name: str, most: int) -> None:
    network = po.networks.load(name)
    ends = simple_lines(network.branches.source, network.branches.target)
    assert crossings(network.places, *ends) <= most


def test_the_layout_does_not_depend_on_rounding_or_on_how_lines_are_written() -> None:
    network = po.networks.load("39_epri")
    n, lines = len(network.buses), network.branches
    plain = layout(n, lines.source, lines.target)
    order = np.random.default_rng(0).permutation(len(lines))
    turned = layout(n, lines.target[order], lines.source[order])
    np.testing.assert_array_equal(plain, turned)
    # A ring has no main direction: the fixed start decides, not the library of linear algebra.
    ring = np.arange(12)
    first = layout(12, ring, np.roll(ring, -1))
    np.testing.assert_array_equal(first, layout(12, np.roll(ring, -1), ring))
    assert crossings(first, ring, np.roll(ring, -1)) == 0


@pytest.mark.parametrize(
    ("count", "source", "target"),
    [
        (1, [], []),
        (2, [0], [1]),
        (3, [], []),
        (4, [0, 0, 0, 0], [1, 1, 0, 1]),  # parallel, and from a node to itself
        (6, [0, 1, 3, 4], [1, 2, 4, 5]),  # two parts
        (9, [0] * 8, list(range(1, 9))),  # a star: its ends are alike
    ],
)
def test_degenerate_graphs(count: int, source: list[int], target: list[int]) -> None:
    place = layout(count, np.array(source, dtype=np.intp), np.array(target, dtype=np.intp))
    assert place.shape == (count, 2)
    assert np.isfinite(place).all()
    assert place.min() >= 0
    assert place.max() <= 1
    apart = np.linalg.norm(place[:, None] - place[None], axis=2) + np.eye(count)
    assert apart.min() > 0.05  # nothing lies upon another


def test_a_larger_network_is_placed_too() -> None:
    network = po.networks.load("588_sdet")
    apart = np.linalg.norm(network.places[:, None] - network.places[None], axis=2)
    assert len(np.unique(network.places, axis=0)) == len(network.buses)
    lines = network.branches
    assert apart[lines.source, lines.target].mean() < 0.3 * apart.mean()


def test_given_places_are_kept_apart_from_their_size(tmp_path: Path) -> None:
    network = po.networks.load("5_pjm")
    corners = {1: (10, 50), 2: (14, 50), 3: (14, 52), 4: (10, 52), 5: (12, 51)}
    wanted = [[0, 0.25], [1, 0.25], [1, 0.75], [0, 0.75], [0.5, 0.5]]
    np.testing.assert_allclose(network.with_places(corners).places, wanted)
    path = tmp_path / "places.csv"
    rows = [f"{y},{bus},{x}" for bus, (x, y) in reversed(corners.items())]
    path.write_text("\n".join(["Y, bus ,x", *rows, "", "99,77,1"]), encoding="utf-8")
    np.testing.assert_allclose(po.networks.load("5_pjm", places=path).places, wanted)
    np.testing.assert_allclose(network.with_places(list(corners.values())).places, wanted)
    moved = network.with_places(corners).with_generators({2: (50.0, 12.0)})
    np.testing.assert_allclose(moved.places, wanted)  # kept with the network
    same = network.with_places(dict.fromkeys(corners, (3.0, 3.0)))
    np.testing.assert_allclose(same.places, 0.5)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("bus,x\n1,2", "first row"),
        ("", "first row"),
        ("bus,x,y\n1,2,far", "row 2"),
        ("bus,x,y\n1,2,3\n1,2,3", "twice"),
        ("bus,x,y\n1,2,inf", "not finite"),
        ("bus,x,y\n1,2,3", "4 of 5 buses"),
    ],
)
def test_bad_files_of_places(text: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "places.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=why):
        po.networks.load("5_pjm", places=path)
    with pytest.raises(InputError, match="No such file"):
        po.networks.load("5_pjm", places=tmp_path / "none.csv")
    with pytest.raises(InputError, match="two finite numbers"):
        po.networks.load("5_pjm").with_places(np.zeros((4, 2)))
