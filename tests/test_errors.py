"""One tree of errors; messages say what was got, needed and to do; copies keep them."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import pkgutil

import pytest

import privopt
from privopt import errors
from privopt.errors import (
    Action,
    Clause,
    InfeasibleError,
    InputError,
    NotImplementableError,
    PrivoptError,
    SolverError,
)

TREE = [getattr(errors, name) for name in errors.__all__ if name.endswith("Error")]
TEXT = ("G has shape (2, 3).", "shape (2, 4).", "check G.")


def test_every_error_of_the_package_descends_from_the_root() -> None:
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(privopt.__path__, "privopt.")
        if "__main__" not in found.name
    ]
    own = {
        member
        for module in modules
        for _, member in inspect.getmembers(module, inspect.isclass)
        if issubclass(member, BaseException) and member.__module__.startswith("privopt")
    }
    assert own >= set(TREE)
    assert all(issubclass(member, PrivoptError) for member in own)


@pytest.mark.parametrize("kind", TREE)
def test_the_message_has_what_was_got_needed_and_to_do(kind: type[PrivoptError]) -> None:
    error = kind(*TEXT)
    positions = [str(error).index(part) for part in TEXT]
    assert positions == sorted(positions)
    assert (error.got, error.needed, error.remedy) == TEXT


@pytest.mark.parametrize("kind", TREE)
def test_copies_keep_type_and_message(kind: type[PrivoptError]) -> None:
    error = kind(*TEXT)
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):  # noqa: S301
        assert type(twin) is kind
        assert str(twin) == str(error)
        assert (twin.got, twin.needed, twin.remedy) == TEXT


@pytest.mark.parametrize("kind", [PrivoptError, InputError, SolverError])
def test_a_private_detail_is_told_when_asked_and_only_then(kind: type[PrivoptError]) -> None:
    error = kind(*TEXT, private="canary 1.25")
    assert error.private is not None
    assert error.private.reveal() == "canary 1.25"
    shown = [repr(error), str(error), repr(error.args), repr(vars(error)), f"{error.private}"]
    assert not [text for text in shown if "canary" in text]
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):  # noqa: S301
        assert twin.private is None
        assert "canary" not in repr(vars(twin))
    assert b"canary" not in pickle.dumps(error)


def test_an_input_error_is_a_value_error() -> None:
    assert issubclass(InputError, ValueError)
    with pytest.raises(ValueError, match="Needed: shape"):
        raise InputError(*TEXT)


def test_a_pickled_conflict_keeps_its_names() -> None:
    error = NotImplementableError(*TEXT, ("x",), ("balance", "flow"), (1, 2))
    twin = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (twin.released, twin.equalities, twin.implementable) == (
        ("x",),
        ("balance", "flow"),
        (1, 2),
    )


def test_a_diagnosis_does_not_travel_between_processes() -> None:
    """Its answer is private and its closure holds d: the copy must not carry it."""
    calls: list[int] = []

    def explain() -> privopt.Diagnosis:
        calls.append(1)
        raise ZeroDivisionError

    error = InfeasibleError(*TEXT, explain)
    with pytest.raises(ZeroDivisionError):
        error.diagnose()
    assert calls == [1]
    twin = pickle.loads(pickle.dumps(error))  # noqa: S301
    with pytest.raises(InputError, match="no diagnosis"):
        twin.diagnose()


def test_diagnosis_are_data_that_others_can_word() -> None:
    remedies = ("check G", Clause(Action.DIAGNOSE, "names the rows."))
    error = InfeasibleError("no point.", "one.", remedies)
    assert error.remedies == remedies
    assert error.remedy == "check G; error.diagnose() names the rows."
    assert str(error).endswith(f"What to do: {error.remedy}")
    twin = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (twin.remedies, str(twin)) == (remedies, str(error))
    assert InputError(*TEXT).remedies == ("check G.",)


def test_clauses_of_others_are_shown_as_they_may_be() -> None:
    error = InputError("got.", "needed.", ("a\x1b[31m", Clause(Action.HELP, "solve")))
    assert "\x1b" not in error.remedy
    assert error.remedy.endswith("; see help(privopt.solve).")
