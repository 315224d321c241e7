"""Sections of a job as the objects that a user of the library would write."""

from __future__ import annotations

from pathlib import Path

import pytest

import privopt as po
from privopt.app import parts


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
