"""What holds for all tests: an example has no deadline, and where a browser must be, there is one.

With PRIVOPT_REQUIRE_BROWSER set, as `.ci/run` does, a test that would be skipped for want of a
browser fails instead: a machine that cannot show the page has not shown that it works.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("steady", deadline=None)  # a busy machine is no counterexample
settings.load_profile("steady")

REQUIRE = "PRIVOPT_REQUIRE_BROWSER"


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Designs that are eight times as quick, for tests that do not look at means over the prior."""
    monkeypatch.setattr("privopt.mechanisms.private_data._DRAWS", 32)


def pytest_configure(config: pytest.Config) -> None:
    """The mark of tests that take a browser."""
    config.addinivalue_line("markers", "browser(found): needs chromium, which is there or not")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test marked `browser` needs one."""
    mark = item.get_closest_marker("browser")
    if mark is None or mark.kwargs["found"]:
        return
    wanted = "no browser: apt-get install chromium"
    if os.environ.get(REQUIRE):
        pytest.fail(f"{wanted} ({REQUIRE} is set)", pytrace=False)
    pytest.skip(wanted)
