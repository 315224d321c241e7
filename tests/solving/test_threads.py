"""One thread inside, as many as before outside."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_info  # type: ignore[attr-defined]

from privopt.solving.threads import one_thread


def threads() -> list[int]:
    np.linalg.norm(np.ones((2, 2)))
    return [int(one["num_threads"]) for one in threadpool_info() if one["user_api"] == "blas"]


def test_one_thread_and_back() -> None:
    before = threads()
    with one_thread():
        assert set(threads()) == {1}
    assert threads() == before
    with one_thread(when=False):
        assert threads() == before
