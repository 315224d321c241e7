"""The journal keeps every whole row, and mixes in nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from privopt.errors import InputError
from privopt.experiments.journal import Journal

CONDITIONS = {"seed": 0, "eta": 0.025, "versions": {"a": "1"}}


def test_rows_come_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "x.journal"
    with Journal(path, CONDITIONS) as journal:
        journal.append("a", {"loss": 1.5})
        journal.append("b", {"loss": None})
    with Journal(path, CONDITIONS) as journal:
        assert journal.rows == {"a": {"loss": 1.5}, "b": {"loss": None}}


def test_a_line_cut_short_is_dropped_and_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "x.journal"
    with Journal(path, CONDITIONS) as journal:
        journal.append("a", {"loss": 1.5})
        journal.append("b", {"loss": 2.5})
    whole = path.read_bytes()
    for cut in range(1, len(whole)):
        path.write_bytes(whole[:cut])
        with Journal(path, CONDITIONS) as journal:
            kept = set(journal.rows)
            assert kept == {key for key, end in (("a", 2), ("b", 3)) if _lines(whole[:cut]) >= end}
            for key in sorted({"a", "b"} - kept):
                journal.append(key, {"loss": {"a": 1.5, "b": 2.5}[key]})
        assert path.read_bytes() == whole


def _lines(text: bytes) -> int:
    return text.count(b"\n")


def test_other_conditions_are_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "x.journal"
    with Journal(path, CONDITIONS) as journal:
        journal.append("a", {"loss": 1.5})
    before = path.read_bytes()
    with pytest.raises(InputError, match="other conditions .eta, seed."):
        Journal(path, {**CONDITIONS, "seed": 1, "eta": 0.05})
    assert path.read_bytes() == before


def test_two_runs_in_one_folder_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.journal"
    with Journal(path, CONDITIONS), pytest.raises(InputError, match="in use by another run"):
        Journal(path, CONDITIONS)
    with Journal(path, CONDITIONS):
        pass


BEGUN = json.dumps({"conditions": CONDITIONS}) + "\n"


@pytest.mark.parametrize("content", ["{]\n", "[1]\n", BEGUN + "{}\n", BEGUN + "5\n", "null\n"])
def test_a_damaged_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.journal"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="damaged"):
        Journal(path, CONDITIONS)
    assert path.read_text(encoding="utf-8") == content


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be written to"):
        Journal(tmp_path / "results" / "x.journal", CONDITIONS)


@pytest.mark.parametrize(
    "content",
    [
        "not a journal, and no line end",
        '{"conditions": [1]}\n',
        '{"conditions": "x"}\n',
        "[" * 100_000 + "\n",
        "{}\ncut short",
    ],
)
def test_what_is_no_journal_is_refused_and_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.journal"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match="damaged"):
        Journal(path, CONDITIONS)
    assert path.read_text(encoding="utf-8") == content
