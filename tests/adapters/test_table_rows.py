"""Rows are read in pieces, whatever the separator and the encoding; a file is never held whole."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from privopt.adapters.table_rows import check_text, opened
from privopt.errors import InputError


def read(path: Path) -> list[list[str]]:
    with opened(path, {}) as table:
        return [list(row or ()) for row in table.rows]


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
        check_text(str(tmp_path / "none.csv"))
    (tmp_path / "x.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match="Excel"):
        check_text(str(tmp_path / "x.xlsx"))
