"""Sections of a job as the objects that a user of the library would write."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import privopt as po
from privopt.app import parts
from privopt.app.source import source_of

PROGRAM = po.ConvexProgram(
    linear=[1.0, 2.0, 3.0], G=[[1, 1, 1], [0, 1, -1]], lower=0, upper=4,
    names=["coal", "gas", "hydro"], data_names=["north", "south"],
)  # fmt: skip


def matrix(query: po.Identity | po.Sum | po.Linear) -> list[list[float]]:
    return query.matrix(PROGRAM).toarray().tolist()


def test_queries() -> None:
    picked = parts.query_of({"identity": ["gas", "coal"]})
    assert matrix(picked) == [[0, 1, 0], [1, 0, 0]]
    summed = parts.query_of({"sum": [["coal", "gas"], ["hydro"]], "separate": True})
    assert matrix(summed) == [[1, 1, 0], [0, 0, 1]]
    assert isinstance(summed, po.Sum)
    assert summed.separate
    for wrong in ({}, {"identity": ["gas"], "separate": True}):
        with pytest.raises(po.errors.InputError, match=r"\[query\]"):
            parts.query_of(wrong)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1,0,0.5\n", [[1.0, 0.0, 0.5]]),
        ("1,0,0\n\n0,2,-1\n", [[1.0, 0.0, 0.0], [0.0, 2.0, -1.0]]),
        ("\ufeff1,0,0\n", [[1.0, 0.0, 0.0]]),
    ],
)
def test_a_matrix_of_numbers(tmp_path: Path, text: str, rows: list[list[float]]) -> None:
    path = tmp_path / "S.csv"
    path.write_text(text, encoding="utf-8")
    assert matrix(parts.query_of({"linear": str(path)})) == rows


def test_a_matrix_with_names_in_any_order(tmp_path: Path) -> None:
    """What pandas writes is read as pandas would."""
    path, table = tmp_path / "S.csv", pd.DataFrame(
        [[1.0, 2.0, 0.0], [0.0, 0.0, 5.0]], index=["first", "second"],
        columns=["hydro", "coal", "gas"],
    )  # fmt: skip
    table.to_csv(path)
    query = parts.query_of({"linear": str(path)})
    assert query.names(PROGRAM) == ("first", "second")
    assert matrix(query) == matrix(po.Linear(table)) == [[2, 0, 1], [0, 5, 0]]


@pytest.mark.parametrize("text", ["", "\n", "1,x\n2,y\n", "1,2\n3\n", '"1,2\n', "a,b\n"])
def test_what_is_no_matrix_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "S.csv").write_text(text)
    for name in ("S.csv", "none.csv", "."):
        with pytest.raises(po.errors.InputError, match="holds no matrix S"):
            parts.query_of({"linear": str(tmp_path / name)})


def test_noise_with_an_assumed_sensitivity() -> None:
    entries = {"noise": "gaussian", "epsilon": 0.5, "delta": 1e-6, "alpha": 0.1, "sensitivity": 2.0}
    made = parts.privacy_of(entries)
    known = po.Gaussian(epsilon=0.5, delta=1e-6, alpha=0.1, sensitivity=po.Assumed(2.0))
    assert made == known
    with pytest.raises(po.errors.InputError, match=r"\[privacy\] has no alpha"):
        parts.privacy_of({"noise": "laplace", "epsilon": 1.0})


def test_settings_and_fidelity() -> None:
    assert parts.settings_of({"tolerance": 1e-8, "seed": 4}) == po.Settings(tolerance=1e-8)
    assert parts.fidelity_of({}) == 0.0
    assert parts.fidelity_of({"fidelity": 3.0}) == 3.0
    assert parts.fidelity_of({"within": 0.5}) == po.Within(0.5)


def test_domains(tmp_path: Path) -> None:
    po.PublicProgram(PROGRAM).save(tmp_path / "program.json")
    source = source_of({"file": str(tmp_path / "program.json")})
    (tmp_path / "high.csv").write_text("south,8\nnorth,7\n")
    made = parts.domain_of({"lower": 1.0, "upper": str(tmp_path / "high.csv")}, source)
    lower, upper = made.ends(2)
    assert np.array_equal(lower, [1.0, 1.0])
    assert np.array_equal(upper, [7.0, 8.0])
    by_name = parts.domain_of({"lower": {"south": 2.0, "north": 1.0}, "upper": 9.0}, source)
    assert by_name.ends(2)[0].tolist() == [1.0, 2.0]
    with pytest.raises(po.errors.InputError, match=r"\[domain\] has no upper"):
        parts.domain_of({"lower": 1.0}, source)


def test_who_is_protected(tmp_path: Path) -> None:
    names = ["a", "b,1", "c"]
    (tmp_path / "alpha.csv").write_text('a,0.1\n"b,1",0.2\nc,0.3\n')
    (tmp_path / "owners.csv").write_text('entry,owner\na,ann\n"b,1",bob\nc,ann\n')
    (tmp_path / "owners.json").write_text('["ann", "bob", "ann"]')
    known = po.Laplace(epsilon=1.0, alpha=[0.1, 0.2, 0.3], owners=["ann", "bob", "ann"])
    for owners in ("owners.csv", "owners.json"):
        entries = {"epsilon": 1.0, "alpha": str(tmp_path / "alpha.csv")}
        made = parts.privacy_of(entries | {"owners": str(tmp_path / owners)}, names)
        assert made.aligned(names) == known.aligned(names)
    with pytest.raises(po.errors.InputError, match="there is no program"):
        parts.privacy_of({"epsilon": 1.0, "alpha": "alpha.csv"})
    (tmp_path / "owners.csv").write_text("a,ann\na,bob\n")
    with pytest.raises(po.errors.InputError, match="holds no labels"):
        parts.privacy_of(
            {"epsilon": 1.0, "alpha": 0.1, "owners": str(tmp_path / "owners.csv")}, names
        )
