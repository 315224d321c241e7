"""The list of reformulations: whole, by names that jobs and ledgers know, each read back."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from typing import Any

import pytest
from tests.feasibility.test_protocol import KINDS

import privopt as po
from privopt import feasibility
from privopt.app.job import read_job
from privopt.errors import InputError
from privopt.feasibility.protocol import Feasibility
from privopt.feasibility.registry import REFORMULATIONS

STORED = {  # in jobs, and in the digests of ledgers
    "analytic": "Analytic",
    "exact-box": "ExactBox",
    "sampled-box": "SampledBox",
    "joint": "Joint",
    "scenario": "Scenario",
    "always": "Always",
}


def test_every_reformulation_there_is_is_listed_once() -> None:
    found: set[type] = set()
    for module in pkgutil.iter_modules(feasibility.__path__, "privopt.feasibility."):
        for _, one in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(one, Feasibility) and not inspect.isabstract(one):
                found.add(one)
    assert found == set(REFORMULATIONS)
    assert len(REFORMULATIONS) == len(found)


def test_files_of_every_version_know_them_by_the_same_names() -> None:
    assert {one.name: one.kind for one in REFORMULATIONS} == STORED
    assert all(getattr(po, one.kind) is one for one in REFORMULATIONS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_job_gives_back_what_it_names(kind: str) -> None:
    """Field by field, as flags; fields at what they are without, left out."""
    asked: Any = KINDS[kind]
    fields = {item.name: getattr(asked, item.name) for item in dataclasses.fields(asked)}
    flags = {name: str(value) for name, value in fields.items() if value is not None}
    noise = {"noise": "laplace", "epsilon": "1", "alpha": "0.1"}
    found = read_job(flags=noise | flags | {"feasibility": asked.name}).feasibility
    assert type(found) is type(asked)
    assert {name: getattr(found, name) for name in fields} == fields


def test_another_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(InputError) as caught:
        read_job(flags={"feasibility": "hopefully", "eta": "0.1"})
    assert all(name in str(caught.value) for name in STORED)
