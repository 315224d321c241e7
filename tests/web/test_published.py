"""What was released in a session is known to all its processes, each file once."""

from __future__ import annotations

from pathlib import Path

from privopt.web.published import add_published, published_files


def test_files_are_kept_in_their_order_once_each(tmp_path: Path) -> None:
    assert published_files(tmp_path) == []
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    add_published(tmp_path, [second, first])
    add_published(tmp_path, [first])
    assert published_files(tmp_path) == [str(second), str(first)]
    assert (tmp_path / "published.json").stat().st_mode & 0o077 == 0
