"""A library that is missing is named, with the command that brings it."""

from __future__ import annotations

import importlib.metadata
import json
import math
from pathlib import Path

import pytest

from privopt.errors import InputError
from privopt.extra import how_to_install, library


class Installed:
    """What pip notes of where a package came from."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def read_text(self, _: str) -> str | None:
        return self.text


def come_from(patch: pytest.MonkeyPatch, url: object) -> None:
    text = None if url is None else json.dumps({"url": url})
    patch.setattr(importlib.metadata, "distribution", lambda _: Installed(text))


def test_what_is_there_is_imported() -> None:
    assert library("math") is math
    assert library("os.path").join("a", "b") == "a/b"


@pytest.mark.parametrize(
    ("name", "extra", "wanted"),
    [("no_such_module", None, "no_such_module"), ("no_such.part", "power", "power")],
)
def test_what_is_missing_is_named_with_its_extra(name: str, extra: str | None, wanted: str) -> None:
    with pytest.raises(InputError) as caught:
        library(name, extra)
    assert caught.value.got == f"{name.partition('.')[0]} is not installed."
    assert f"[{wanted}]" in caught.value.remedy


def test_the_command_names_the_folder_it_was_installed_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "the source"
    folder.mkdir()
    come_from(monkeypatch, folder.as_uri())
    assert how_to_install("report") == (
        "pip install '.[report]' in the folder of privopt's source"
    )  # nothing lies there
    (folder / "pyproject.toml").touch()
    assert how_to_install("report") == f"pip install '{folder}[report]'"
