"""A form as texts: what is wrong is told with its field, in three sentences."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.web.workbench import FORM

from privopt.app.texts import flags_of
from privopt.web.forms import SECTIONS, check_fields, digest_of, filled, public_keys
from privopt.web.problems import ProblemError
from privopt.web.programs import Programs

# For every field a text that it refuses; some need another choice beside them.
BAD: dict[str, tuple[str, dict[str, str | None]]] = {
    "network": ("no_such", {}),
    "case": ("/no/such/file.m", {"network": None}),
    "program": ("/no/such/program.json", {"network": None}),
    "model": ("sideways", {}),
    "private": ("demand[99]", {}),
    "unit": ("bananas", {}),
    "identity": ("p[99]", {}),
    "sum": ("p[98],p[99]", {"identity": None}),
    "linear": ("/no/such/S.csv", {"identity": None}),
    "separate": ("perhaps", {}),
    "noise": ("uniform", {}),
    "epsilon": ("-1", {}),
    "delta": ("2", {"noise": "gaussian"}),
    "alpha": ("much", {}),
    "feasibility": ("hopeful", {}),
    "eta": ("1.5", {}),
    "around": ("-0.1", {}),
    "lower": ("a lot", {"around": None, "upper": "1"}),
    "upper": ("a lot", {"around": None, "lower": "1"}),
    "mechanism": ("magic", {}),
    "measure": ("/no/such/zones.csv", {}),
    "fidelity": ("x", {}),
    "within": ("x", {}),
    "seed": ("-1", {}),
}


def test_a_sound_form_has_a_job(tmp_path: Path) -> None:
    found = filled(FORM, Programs(tmp_path).source_of)
    assert found.problems == ()
    assert found.job is not None
    assert found.job.made_by() == "measured"
    assert flags_of(found.tree, tmp_path, SECTIONS) == FORM


@pytest.mark.parametrize("field", BAD)
def test_what_is_wrong_is_told_with_its_field(field: str, tmp_path: Path) -> None:
    text, beside = BAD[field]
    form = {**FORM, **beside, field: text}
    found = filled(
        {name: one for name, one in form.items() if one is not None}, Programs(tmp_path).source_of
    )
    assert found.job is None
    assert field in [one.field for one in found.problems], found.problems
    assert all(one.got and one.needed and one.remedy for one in found.problems)


def test_no_program_is_a_problem_of_the_network(tmp_path: Path) -> None:
    assert [one.field for one in filled({}, Programs(tmp_path).source_of).problems] == ["network"]


@pytest.mark.parametrize("field", ["data", "ledger", "key", "out", "limit", "nonsense"])
def test_what_is_private_or_unknown_is_no_field(field: str) -> None:
    assert field not in public_keys()
    with pytest.raises(ProblemError) as caught:
        check_fields({**FORM, field: "x"})
    assert caught.value.status == 400


def test_what_is_no_text_is_refused_and_empty_ones_are_left_out() -> None:
    with pytest.raises(ProblemError):
        check_fields({"epsilon": 1})
    assert check_fields({"epsilon": " ", "alpha": "1"}) == {"alpha": "1"}


def test_the_digest_follows_the_form_and_the_files(tmp_path: Path) -> None:
    zones = tmp_path / "zones.csv"
    zones.write_text("demand[1],a\n")
    form = {**FORM, "measure": str(zones)}
    tree = filled(FORM, Programs(tmp_path).source_of).tree
    tree["design"]["measure"] = str(zones)
    first = digest_of(form, tree)
    assert first == digest_of(form, tree) != digest_of({**form, "epsilon": "2"}, tree)
    zones.write_text("demand[1],other\n")
    assert digest_of(form, tree) != first
