"""A view as plain data: nothing of it is lost, and private ones say so."""

from __future__ import annotations

import json

from privopt.show.view import Fact, Table, View
from privopt.web.showing import shown


def test_all_parts_are_there() -> None:
    table = Table("entry", ["a", "b"], {"value": [1.25, None]}, "what")
    view = View("It", table, (Fact("x", "1"),), ("a note",), warnings=("careful",), private=True)
    told = shown(view)
    assert json.loads(json.dumps(told)) == told
    assert told["private"] is True
    assert told["table"]["columns"] == ["entry", "value"]
    assert [row[0] for row in told["table"]["rows"]] == ["a", "b"]
    assert told["table"]["rows"][0][1] == "1.25"
    assert told["facts"] == [{"name": "x", "text": "1"}]
    assert (told["warnings"], told["notes"], told["claims"]) == (["careful"], ["a note"], [])


def test_without_a_table_and_with_a_long_one() -> None:
    assert shown(View("It"))["table"] is None
    long = View("It", Table("k", list(range(90)), {"v": list(range(90))}))
    told = shown(long)["table"]
    assert len(told["rows"]) == long.limit
    assert "90" in told["left_out"]
