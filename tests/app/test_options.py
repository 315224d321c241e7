"""Entries of a job that follow from the library, and the copy that `--help` is made from."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from typing import Any

from privopt.app.options import CHOICES, options, schema
from privopt.app.schema import COPY, KEYS, to_text
from privopt.feasibility.registry import REFORMULATIONS
from privopt.mechanisms.repeat import Repeat
from privopt.model.objective import OBJECTIVES
from privopt.noise.registry import FAMILIES
from privopt.solving.solver import Settings


def test_the_copy_is_as_the_library_says() -> None:
    assert COPY.read_text(encoding="utf-8") == to_text(options()), (
        "run: python -m privopt.app.options"
    )
    assert schema() == KEYS


def test_every_field_is_an_entry_and_every_entry_has_one_help() -> None:
    kinds: tuple[Any, ...] = (*FAMILIES, *REFORMULATIONS, *OBJECTIVES, Repeat, Settings)
    fields = [item for kind in kinds for item in dataclasses.fields(kind) if item.init]
    entries = {key.name: key.help for key in options()}
    choosing = {choice.entry for choice in CHOICES.values()}
    assert {item.name for item in fields} | choosing == set(entries)
    for name in set(entries) - choosing:
        helps = {item.metadata["help"] for item in fields if item.name == name and item.metadata}
        assert helps == {entries[name]}


def test_each_kind_has_one_name() -> None:
    for choice in CHOICES.values():
        names = [kind.name for kind in choice.types]
        assert len(set(names)) == len(names) == len({kind.kind for kind in choice.types})
        assert all(kind.kind == kind.__name__ for kind in choice.types)


def test_help_loads_no_library() -> None:
    code = (
        "import sys, privopt.cli.main; print([m for m in ('numpy', 'scipy') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
