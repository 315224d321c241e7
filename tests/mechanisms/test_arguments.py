"""Arguments of the wrong kind are told apart from their classes."""

from __future__ import annotations

import pytest

import privopt as po
from privopt.mechanisms.arguments import check_arguments


def test_a_class_in_place_of_an_object_is_named_as_such() -> None:
    with pytest.raises(po.errors.InputError, match="the class Laplace"):
        check_arguments(privacy=po.Laplace)


def test_what_may_be_none_may() -> None:
    check_arguments(repeat=None, settings=None)
    with pytest.raises(po.errors.InputError):
        check_arguments(query=None)
