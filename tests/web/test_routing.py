"""Answers of routes: plain data, texts, and every kind of error without what may be private."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import httpx
import pytest

from privopt.errors import BudgetExceededError, InputError
from privopt.web.problems import Problem, ProblemError
from privopt.web.routing import answered, application

LOAD = "117.31"


def _asked(answer: Callable[[], Any]) -> httpx.Response:
    app = application([answered("/x", lambda _request, _content: answer())])

    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://t") as client:
            return await client.get("/x")

    with ThreadPoolExecutor(1) as pool:  # a browser of other tests may have a loop in this one
        return pool.submit(anyio.run, run).result()


def _raising(error: Exception) -> Callable[[], Any]:
    def answer() -> Any:
        raise error

    return answer


def test_data_and_texts() -> None:
    assert _asked(lambda: {"a": 1}).json() == {"a": 1}
    assert _asked(lambda: "text").text == "text"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InputError("a.", "b.", "c."), 422),
        (BudgetExceededError("a.", "b.", "c."), 409),
        (ProblemError(404, Problem("a.", "b.", "c.")), 404),
        (OSError(13, "no", f"/{LOAD}"), 422),
        (ValueError(LOAD), 500),
        (KeyError(LOAD), 500),
    ],
)
def test_errors_are_answers(error: Exception, status: int) -> None:
    answer = _asked(_raising(error))
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"got", "needed", "remedy", "field"}
    assert LOAD not in answer.text


def test_what_is_no_json_is_unexpected() -> None:
    with pytest.raises(ValueError, match="JSON"):
        _asked(lambda: float("nan"))
