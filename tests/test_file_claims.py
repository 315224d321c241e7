"""Claims of files: made from their numbers, never shown as stored. And old files go on loading."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from privopt.claims.old_words import terms_of

import privopt as po
from privopt.claims.guarantee import Claim, Provenance, Scope
from privopt.claims.terms import FeasibilityTerms, PrivacyTerms, read_terms

PROGRAM = po.ConvexProgram(
    linear=[1, 2, 3], quadratic=[0.1, 0.1, 0.1], G=[[1, 1, 1]], lower=0, upper=4
)
FORGED = "0-differential privacy for data that differ in one private entry by at most 1000"


@pytest.fixture(scope="module")
def policy() -> po.Policy:
    return po.design(
        PROGRAM, po.Identity([0]), po.Laplace(epsilon=1.0000049, alpha=0.12345674),
        po.Analytic(eta=0.05), domain=po.Box(4.0, 5.0), floor=1.0,
    )  # fmt: skip


def changed(path: Path, change: Callable[[Any], object]) -> Path:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    return path


def forge(data: Any) -> None:
    claim = data["guarantee"]["privacy"]
    claim["statement"] = FORGED
    claim["because"] = "the release is a constant made from public data"
    if "terms" in claim:
        claim["terms"] = {"about": "privacy", "epsilon": 0.0, "delta": 0.0, "alpha": 1000.0}


@pytest.mark.parametrize("first", [True, False], ids=["0.1.0", "now"])
def test_a_policy_with_an_edited_claim_releases_with_its_own(
    policy: po.Policy, tmp_path: Path, first: bool
) -> None:
    path = tmp_path / "p.json"
    policy.save(path)
    if first:
        changed(path, lambda data: [one.pop("terms") for one in data["guarantee"].values()])
    found = po.Policy.load(changed(path, forge))
    assert found.guarantee.privacy == policy.guarantee.privacy
    assert not found.guarantee.privacy.stated
    said = found.release([4.5]).guarantee.privacy
    assert said == policy.guarantee.privacy
    assert "0-diff" not in str(said)


def test_a_policy_says_which_claim_its_file_only_states(policy: po.Policy, tmp_path: Path) -> None:
    policy.save(tmp_path / "p.json")
    found = po.Policy.load(tmp_path / "p.json")
    assert found.guarantee == policy.guarantee
    for text in (repr(found), found.summary(), found.release([4.5]).summary()):
        assert "as stated in its file" in " ".join(text.split())
    assert "as stated" not in repr(policy)


def test_claims_print_enough_digits_to_be_true(policy: po.Policy) -> None:
    said = policy.guarantee.privacy.statement
    assert "1.0000049-differential" in said
    assert said.endswith("by at most 0.12345674")
    release = policy.release([4.5])
    assert float(release.summary().split("epsilon ")[1].split(",")[0]) >= release.epsilon
    assert "changes up to 0.12345674" in release.summary()


@pytest.mark.parametrize("first", [True, False], ids=["0.1.0", "now"])
def test_a_release_claims_what_its_numbers_say(
    policy: po.Policy, tmp_path: Path, first: bool
) -> None:
    path, release = tmp_path / "r.json", policy.release([4.5])
    release.save(path)
    if first:
        changed(path, lambda data: [one.pop("terms") for one in data["guarantee"].values()])
    found = po.Release.load(changed(path, forge))
    terms = found.guarantee.privacy.terms
    assert isinstance(terms, PrivacyTerms)
    assert terms.epsilon >= release.epsilon
    assert terms.alpha == release.alpha == 0.12345674
    assert FORGED not in found.summary()
    assert found.guarantee.privacy.stated
    assert "as stated in its file" in repr(found)


def test_a_release_that_nobody_edited_comes_back(policy: po.Policy, tmp_path: Path) -> None:
    release = policy.release([4.5])
    release.save(tmp_path / "r.json")
    found = po.Release.load(tmp_path / "r.json")
    assert found == release
    assert found.guarantee == release.guarantee


def test_a_release_made_through_a_ledger_is_ours_and_a_replay_is_the_files(
    policy: po.Policy, tmp_path: Path
) -> None:
    with po.Ledger(tmp_path / "x.ledger", limit=po.Budget(3)) as ledger:
        assert not policy.release([4.5], ledger, "k").guarantee.privacy.stated
        again = policy.release([4.5], ledger, "k")
        assert again.replayed
        assert again.guarantee.privacy.stated


def test_a_ledger_knows_a_policy_again_by_its_file(policy: po.Policy, tmp_path: Path) -> None:
    """Also one whose claims are said in other words today: a key of 0.1.0 still replays."""
    path = tmp_path / "p.json"
    policy.save(path)
    assert po.Policy.load(path).request == policy.request
    changed(path, lambda data: [one.pop("terms") for one in data["guarantee"].values()])
    old = po.Policy.load(path)
    data = json.loads(path.read_text())
    from privopt.ledger.request import digest

    whole = {name: item for name, item in data.items() if name not in ("privopt", "version")}
    assert old.request.subject == digest(whole)


SAID: list[tuple[str, PrivacyTerms | FeasibilityTerms]] = [
    (
        "(0.5, 1e-06)-differential privacy (truncated Laplace) for data that differ in one private "
        "entry by at most 0.1",
        PrivacyTerms(0.5, 1e-6, 0.1, "truncated"),
    ),
    (
        "0-differential privacy for data that differ in one private entry by at most 20",
        PrivacyTerms(0.0, 0.0, 20.0),
    ),
    (
        "for every d of the domain: all 7 inequalities hold together with probability >= 0.975",
        FeasibilityTerms(7, 0.025, everywhere=True),
    ),
    (
        "each inequality is violated with probability <= 1e-05",
        FeasibilityTerms(None, 1e-5, each=True),
    ),
    (
        "each inequality is violated with probability <= its eta (0.01..0.02)",
        FeasibilityTerms(None, 0.01, each=True, most=0.02),
    ),
    (
        "all 7 inequalities hold for 20 draws; no certificate",
        FeasibilityTerms(7, None, draws=20),
    ),
    ("all 7 inequalities hold with probability 1", FeasibilityTerms(7, 0.0)),
]


@pytest.mark.parametrize(("words", "terms"), SAID, ids=range(len(SAID)))
def test_the_words_of_the_first_version_are_still_understood(words: str, terms: Any) -> None:
    assert terms_of(words) == terms
    assert terms.sentence(1.0) == words
    assert read_terms(json.loads(json.dumps(terms.to_dict()))) == terms
    for other in (f"{words} or so", f"x {words}", words.replace("0", "0x")):
        assert terms_of(other) is None or other == words


def test_probabilities_are_never_rounded_up() -> None:
    for eta, said in ((4e-7, "0.9999996"), (1e-30, "1 - 1e-30"), (0.025, "0.975")):
        assert FeasibilityTerms(3, eta).sentence(1.0).endswith(f">= {said}")
    assert FeasibilityTerms(3, 0.1).sentence(1 - 0.07).endswith("with confidence 0.93")
    assert FeasibilityTerms(3, 0.1).sentence(1 - 1e-14).endswith("0.99999999999999")


@pytest.mark.parametrize(
    "terms",
    [
        {"about": "privacy", "epsilon": -1.0, "delta": 0.0, "alpha": 1.0},
        {"about": "privacy", "epsilon": "1", "delta": 0.0, "alpha": 1.0},
        {"about": "privacy", "epsilon": 1.0, "delta": 0.0, "alpha": 1.0, "family": "\x1b"},
        {"about": "feasibility", "rows": 1, "eta": 2.0},
        {"about": "feasibility", "rows": "\x1b", "eta": 0.1},
        {"about": "feasibility", "rows": 1, "eta": 0.1, "each": "yes"},
        {"about": "feasibility", "rows": 1, "eta": None},
        {"about": "luck"},
        ["privacy"],
    ],
)
def test_terms_that_are_none_are_refused(policy: po.Policy, tmp_path: Path, terms: Any) -> None:
    path = tmp_path / "r.json"
    policy.release([4.5]).save(path)
    for which in ("privacy", "feasibility"):
        changed(path, lambda data, which=which: data["guarantee"][which].update(terms=terms))
        with pytest.raises(po.errors.InputError, match="not a whole release"):
            po.Release.load(path)


def test_a_claim_of_privacy_does_not_stand_for_feasibility(
    policy: po.Policy, tmp_path: Path
) -> None:
    path = tmp_path / "r.json"
    policy.release([4.5]).save(path)
    terms = PrivacyTerms(0.0, 0.0, 1.0).to_dict()
    changed(path, lambda data: data["guarantee"]["feasibility"].update(terms=terms))
    with pytest.raises(po.errors.InputError, match="not a whole release"):
        po.Release.load(path)


def test_the_sentence_follows_the_numbers() -> None:
    claim = Claim.of(PrivacyTerms(1.0, 0.0, 0.1), Provenance.PROVEN, "so", Scope.NEIGHBOURS)
    other = replace(claim, statement="whatever", terms=PrivacyTerms(2.0, 0.0, 0.1))
    assert other.statement.startswith("2-differential privacy")
