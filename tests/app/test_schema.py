"""The list of entries: each once, in the order of the sections, whatever a registry adds."""

from __future__ import annotations

import json

from privopt.app.schema import ALTERNATIVES, KEYS, SECTIONS, Form, Key, to_text


def test_flags_and_entries_are_each_one_of_a_kind() -> None:
    flags = [key.flag for key in KEYS if key.flag]
    assert len(set(flags)) == len(flags)
    assert len({(key.section, key.name) for key in KEYS}) == len(KEYS)


def test_sections_stand_together_and_in_their_order() -> None:
    assert tuple(dict.fromkeys(key.section for key in KEYS)) == SECTIONS
    places = [SECTIONS.index(key.section) for key in KEYS]
    assert places == sorted(places)


def test_alternatives_are_entries_of_their_section() -> None:
    known = {(key.section, key.name) for key in KEYS}
    groups = [(section, one) for section, groups in ALTERNATIVES.items() for one in groups]
    assert {(section, name) for section, group in groups for name in group} <= known
    assert len(groups) == len(set(groups))


def test_private_values_have_no_flag_and_outputs_of_a_command_one() -> None:
    assert {key.flag for key in KEYS if key.kind is Form.VALUES} == {None}
    assert [key.flag for key in KEYS if key.section == "output" and key.flag] == ["out"]


def test_the_copy_is_read_back_as_it_was() -> None:
    lines = json.loads(to_text(KEYS))
    assert [(line["section"], line["name"]) for line in lines] == [
        (key.section, key.name) for key in KEYS
    ]
    again = [Key(**line | {"choices": tuple(line["choices"])}) for line in lines]
    assert again == list(KEYS)
