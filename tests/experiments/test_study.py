"""What studies share: keys, streams of random numbers, groups, means."""

from __future__ import annotations

from pathlib import Path

import pytest

from privopt.errors import InputError
from privopt.experiments.study import Unit, checked_networks, grouped, streams
from privopt.networks.locate import find


def test_keys_tell_units_apart() -> None:
    units = [
        Unit(network, run, algorithm, parameters)
        for network in ("3_lmbd", "5_pjm")
        for run in (0, 1)
        for algorithm in ("OP", "PIQ-a")
        for parameters in ((), (("sums", 1),), (("sums", 3),))
    ]
    assert len({unit.key for unit in units}) == len(units)


def test_streams_depend_on_seed_network_and_run_alone() -> None:
    def first(seed: int, network: str, run: int) -> tuple[float, ...]:
        return tuple(float(stream.random()) for stream in streams(seed, network, run))

    base = first(0, "3_lmbd", 0)
    assert first(0, "case3_lmbd", 0) == base
    assert len(set(base)) == 3
    for other in (first(1, "3_lmbd", 0), first(0, "5_pjm", 0), first(0, "3_lmbd", 1)):
        assert not set(other) & set(base)


def test_the_streams_of_a_file_follow_its_content(tmp_path: Path) -> None:
    text = find("3_lmbd").read_text(encoding="utf-8")
    paths = [tmp_path / "a.m", tmp_path / "b.m", tmp_path / "c.m"]
    for path, more in zip(paths, ("", "", "% changed\n"), strict=True):
        path.write_text(text + more, encoding="utf-8")
    a, b, c = (float(streams(0, str(path), 0)[0].random()) for path in paths)
    assert a == b != c
    with pytest.raises(InputError, match="twice"):
        checked_networks((str(paths[0]), str(paths[1])))


def test_groups_come_in_the_order_asked_for_and_runs_in_theirs() -> None:
    rows = [
        {"network": n, "sums": s, "run": r, "x": float(r)}
        for r in (2, 0, 1)
        for s in (9, 1)
        for n in ("b", "a")
    ]
    found = grouped(
        rows, {"network": ("b", "a"), "sums": None}, lambda runs: {"x": [row["x"] for row in runs]}
    )
    assert [(row["network"], row["sums"]) for row in found] == [
        ("b", 1), ("b", 9), ("a", 1), ("a", 9),
    ]  # fmt: skip
    assert all(row["x"] == [0.0, 1.0, 2.0] for row in found)
