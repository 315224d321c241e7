"""A process that answers lines: it ends with us, and one that cannot start says why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from privopt.errors import InputError
from privopt.web.child import Child


def test_it_answers_and_is_gone_at_the_end(tmp_path: Path) -> None:
    place = str(tmp_path)
    asked = {"folder": place, "home": place, "job": None, "origins": ["http://127.0.0.1:1"]}
    with Child.started("privopt.web.curator", asked) as child:
        assert child.first["form"] == {}
        assert child.ask({"ask": "token"})["token"] != child.ask({"ask": "token"})["token"]
        os.kill(child.pid, 0)
        pid = child.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_one_that_refuses_or_is_none_is_told(tmp_path: Path) -> None:
    place = str(tmp_path)
    asked = {"folder": place, "home": place, "job": "/no/such.toml", "origins": []}
    with pytest.raises(InputError, match="could not be read"):
        Child("privopt.web.curator", asked)
    with pytest.raises(InputError, match="has ended"):
        Child("privopt.web.no_such_module", asked)
