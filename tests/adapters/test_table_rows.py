"""Rows are read in pieces, whatever the separator and the encoding; a file is never held whole."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from privopt.adapters.table_rows import encoding_of, opened
from privopt.errors import InputError


def read(path: Path) -> list[list[str]]:
    with opened(path, {}) as table:
        return [list(row) for row in table.rows]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_separators_and_encodings(tmp_path: Path, separator: str, encoding: str) -> None:
    text = f'bus{separator}load\n3{separator}"1{separator}5"\n\n4{separator}2\n'
    (tmp_path / "x.csv").write_bytes(text.encode(encoding))
    assert read(tmp_path / "x.csv") == [["3", f"1{separator}5"], ["4", "2"]]


def test_a_separator_in_quotes_separates_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('bus;load;"a,bus,load"\n1;2;x\n', encoding="utf-8")
    assert read(tmp_path / "x.csv") == [["1", "2", "x"]]


def test_the_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("bus,load\n")
        file.writelines(f"{k},0.25\n" for k in range(200_000))
    tracemalloc.start()
    try:
        with opened(path, {}) as table:
            count = sum(1 for _ in table.rows)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 200_000
    assert peak < 1_000_000 < path.stat().st_size


def test_no_file_and_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        encoding_of(str(tmp_path / "none.csv"))
    (tmp_path / "x.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match="Excel"):
        encoding_of(str(tmp_path / "x.xlsx"))
