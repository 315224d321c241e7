"""Versions: what is installed, and nothing of the machine's user."""

from __future__ import annotations

import getpass
import platform
from importlib.metadata import version

import privopt
from privopt.report.evidence.versions import versions


def test_they_are_those_installed() -> None:
    found = versions()
    assert found["privopt"] == privopt.__version__
    assert found["opendp"] == version("opendp")
    assert found["python"] == platform.python_version()
    node, user = platform.node(), getpass.getuser()
    assert not any(value in (node, user) for value in found.values())
    assert set(found) >= {"numpy", "clarabel", "highspy", "system", "machine"}
