"""Claims of files: made from their numbers, and no more than these."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import privopt as po
from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms, PrivacyTerms

FORGED = "0-differential privacy for data that differ in one private entry by at most 1000"


@pytest.fixture(scope="module")
def instrument() -> po.Instrument:
    program = po.ConvexProgram(linear=[1, 2, 3], G=[[1, 1, 1]], lower=0, upper=4)
    noise = po.Laplace(epsilon=1.0000049, alpha=0.12345674)
    return po.Instrument([[1.0]], program=program, privacy=noise, domain=po.Box(4.0, 5.0))


def released(instrument: po.Instrument, *ledger: Any) -> po.Release:
    release = instrument.measure([4.5], *ledger).release
    assert release is not None
    return release


def changed(path: Path, change: Callable[[Any], object]) -> Path:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    return path


def forge(data: Any) -> None:
    claim = data["guarantee"]["privacy"]
    claim["statement"] = FORGED
    claim["because"] = "the release is a constant made from public data"
    claim["terms"] = {"about": "privacy", "epsilon": 0.0, "delta": 0.0, "alpha": 1000.0}


def test_claims_print_enough_digits_to_be_true(instrument: po.Instrument) -> None:
    said = released(instrument).guarantee.privacy.statement
    assert "1.0000049-differential" in said
    assert said.endswith("by at most 0.12345674")
    release = released(instrument)
    assert float(release.summary().split("epsilon ")[1].split(",")[0]) >= release.epsilon
    assert "changes up to 0.12345674" in release.summary()


def test_a_file_that_claims_more_than_its_numbers_is_refused(
    instrument: po.Instrument, tmp_path: Path
) -> None:
    path = tmp_path / "r.json"
    released(instrument).save(path)
    with pytest.raises(po.errors.InputError, match="not a whole release"):
        po.Release.load(changed(path, forge))


def test_a_release_that_nobody_edited_comes_back(instrument: po.Instrument, tmp_path: Path) -> None:
    release = released(instrument)
    release.save(tmp_path / "r.json")
    found = po.Release.load(tmp_path / "r.json")
    assert found == release
    assert found.guarantee.privacy.terms == release.guarantee.privacy.terms
    assert found.guarantee.privacy.stated
    assert "as stated in its file" in repr(found)


def test_a_release_made_through_a_ledger_is_ours_and_so_is_its_replay(
    instrument: po.Instrument, tmp_path: Path
) -> None:
    with po.Ledger(tmp_path / "x.ledger", limit=po.Budget(3)) as ledger:
        made, again = (released(instrument, ledger, "k") for _ in range(2))
    assert (made.replayed, again.replayed) == (False, True)
    assert made == again
    assert made.guarantee == again.guarantee
    assert not again.guarantee.privacy.stated


def test_probabilities_are_never_rounded_up() -> None:
    for eta, said in ((4e-7, "0.9999996"), (1e-30, "1 - 1e-30"), (0.025, "0.975")):
        assert FeasibilityTerms(3, eta).sentence(1.0).endswith(f">= {said}")
    assert FeasibilityTerms(3, 0.1).sentence(1 - 0.07).endswith("with confidence 0.93")
    assert FeasibilityTerms(3, 0.1).sentence(1 - 1e-14).endswith("0.99999999999999")


def test_a_claim_of_privacy_does_not_stand_for_feasibility(
    instrument: po.Instrument, tmp_path: Path
) -> None:
    path = tmp_path / "r.json"
    released(instrument).save(path)
    terms = PrivacyTerms(0.0, 0.0, 1.0).to_dict()
    changed(path, lambda data: data["guarantee"]["feasibility"].update(terms=terms))
    with pytest.raises(po.errors.InputError, match="not a whole release"):
        po.Release.load(path)


def test_the_sentence_follows_the_numbers() -> None:
    claim = Claim.of(PrivacyTerms(1.0, 0.0, 0.1), Provenance.PROVEN, "so", Scope.NEIGHBOURS)
    other = replace(claim, statement="whatever", terms=PrivacyTerms(2.0, 0.0, 0.1))
    assert other.statement.startswith("2-differential privacy")
