"""A digest tells values apart, and is the same in every process and for every layout in memory."""

from __future__ import annotations

import functools
import math
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from privopt.digest import Kinded, digest_of


@dataclass(frozen=True)
class Point:
    x: float
    y: float


@dataclass(frozen=True)
class Place:
    x: float
    y: float


def test_it_tells_apart_what_differs() -> None:
    """Shape, type, grouping, order, class and field: none may be lost between the parts."""
    different = [
        (), ((),), ((), ()), (1,), ("1",), (1.0,), (-0.0,), (0.0,), (True,), (None,), (1, 2), (12,),
        (2, 1), ((1, 2),), ((1,), 2), ("a", "b"), ("ab",), (Point(1.0, 2.0),),
        (Place(1.0, 2.0),), (Point(2.0, 1.0),), (np.array([1.0, 2.0]),), (np.array([[1.0, 2.0]]),),
        (np.array([1, 2]),), (np.array([1.0]), np.array([2.0])), (math.sqrt,), (math.sin,),
        (functools.partial(pow, 2),), (functools.partial(pow, 2, mod=3),),
    ]  # fmt: skip
    digests = [digest_of(*parts) for parts in different]
    assert len(set(digests)) == len(different)


def test_the_same_values_have_the_same_digest() -> None:
    array = np.arange(6.0).reshape(2, 3)
    strided = np.asfortranarray(array)
    assert digest_of(array) == digest_of(strided) == digest_of(np.arange(6.0).reshape(2, 3).copy())
    assert digest_of((1, 2)) == digest_of([1, 2])
    one, two = (functools.partial(pow, exp=2, mod=k) for k in (3, 3))
    assert digest_of(one) == digest_of(two)
    assert digest_of(lambda: 1) != digest_of(math.sqrt)


def test_it_is_the_same_in_another_process() -> None:
    code = (
        "from privopt.digest import digest_of; import math; print(digest_of('a', (1.5,), math.sin))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        ).stdout.strip()
        for seed in ("1", "2")
    }  # fmt: skip
    assert said == {digest_of("a", (1.5,), math.sin)}


def test_a_kind_is_a_classs_own() -> None:
    class Known(Kinded):
        kind = "known"

    class Other(Known):
        pass

    assert (Known.kind, Other.kind) == ("known", "Other")


@pytest.mark.parametrize("bits", [0, 1, 52, 63])
def test_one_bit_of_a_float_counts(bits: int) -> None:
    value = np.array([1.25])
    other = (value.view(np.uint64) ^ np.uint64(1 << bits)).view(np.float64)
    assert digest_of(value) != digest_of(other)
