"""Problems as answers, and requests that are not what they should be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from privopt.errors import BudgetExceededError, InputError
from privopt.web.problems import Problem, ProblemError, body_of, problem_bytes, status_of, whole


def test_an_error_becomes_its_public_parts() -> None:
    error = InputError("a.", "b.", "c.")
    told = json.loads(problem_bytes(Problem.of(error, "x"), state=1))
    assert told == {
        "error": {"got": "a.", "needed": "b.", "remedy": "c.", "field": "x"},
        "state": 1,
    }
    assert status_of(error) == 422
    assert status_of(BudgetExceededError("a.", "b.", "c.")) == 409


@pytest.mark.parametrize(
    "content",
    [b"", b"null", b"[]", b"\xff", b'{"n": 1e999, "x": NaN}', b"[" * 100_000, b'{"n": true}',
     b'{"n": "1"}', b'{"other": 1}'],
)  # fmt: skip
def test_other_bodies_are_refused(content: bytes) -> None:
    with pytest.raises(ProblemError) as caught:
        body_of(content, n=int)
    assert caught.value.status == 400


def test_a_body_and_what_it_must_have() -> None:
    body: dict[str, Any] = body_of(b'{"n": 1}', n=int, text=str)
    assert whole(body, "n") == {"n": 1}
    with pytest.raises(ProblemError) as caught:
        whole(body, "n", "text")
    assert caught.value.problem.field == "text"
