"""Planted bugs of evidence, and of what a release says of itself."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

__all__ = ["PLANTED"]

_FORGED = "tests/report/evidence/test_recompute.py"

PLANTED: tuple[Mutant, ...] = (
    Mutant(
        "evidence: keys of the ledger are handed out",
        "ledger/handing.py",
        'KEPT_BACK = ("key", "output")',
        'KEPT_BACK = ("output",)',
        "tests/ledger/test_handing.py::test_keys_and_outputs_are_kept_back_and_requests_are_not",
    ),
    Mutant(
        "evidence: the script adds up an owner's changes with their signs",
        "report/evidence/recompute.py",
        "sum(abs(row[j]) * steps[j] for j in own)",
        "sum(row[j] * steps[j] for j in own)",
        f"{_FORGED}::test_the_sensitivity_covers_the_worst_neighbours",
    ),
    Mutant(
        "evidence: the script does not compare a release with what its charge stored",
        "report/evidence/recompute.py",
        "tell(stored == [digest(whole)],",
        "tell(True,",
        f"{_FORGED}::test_a_forgery_fails_under_its_own_manifest",
    ),
    Mutant(
        "evidence: the script believes a charge below what its request costs",
        "report/evidence/recompute.py",
        'need(int(row[part]) == cost(asked[part], asked[f"own_{part}"], part), "what it charges")',
        "pass",
        f"{_FORGED}::test_a_forgery_fails_under_its_own_manifest",
    ),
    Mutant(
        "evidence: the script does not compare a charge with what its instrument costs",
        "report/evidence/recompute.py",
        'asked = sha(request_of(file)) == row["request_digest"]["hex"]',
        "asked = True",
        f"{_FORGED}::test_who_makes_everything_fit_is_found_by_what_is_said_twice",
    ),
    Mutant(
        "evidence: the script takes the words of a measurement for its claims",
        "report/evidence/recompute.py",
        '"guarantee": claims(terms),',
        '"guarantee": release["guarantee"],',
        f"{_FORGED}::test_who_makes_everything_fit_is_found_by_what_is_said_twice",
    ),
    *(
        Mutant(
            f"evidence: of a decision, {what}",
            "report/evidence/recompute.py",
            old,
            new,
            f"{_FORGED}::test_a_decision_says_what_follows_from_its_parts",
        )
        for what, old, new in (
            ("true is taken for 1", "return canonical(a) == canonical(b)", "return a == b"),
            ("a measurement may count twice", "need(len(set(decision", "tell(len(set(decision"),
            ("the neighbours may be others", "need(all(of_others(", "tell(all(of_others("),
            ("the unit may be another", 'need(all(file.get("unit"', 'tell(all(file.get("unit"'),
        )
    ),
    Mutant(
        "evidence: a decision is taken whatever its certificate",
        "report/evidence/exhibits.py",
        "verdict(certified(thing)) is False",
        "verdict(certified(thing)) is ...",
        "tests/report/evidence/test_making.py"
        "::test_a_decision_whose_certificate_fails_is_no_evidence",
    ),
    Mutant(
        "evidence: the script takes whatever page is there",
        "report/evidence/recompute.py",
        "        files[PAGE] == made.encode(),",
        "        True,",
        f"{_FORGED}::test_what_is_not_of_the_folder_fails",
    ),
    Mutant(
        "evidence: the script follows links",
        "report/evidence/recompute.py",
        'need(not path.is_symlink(), f"{name} is a link")',
        "pass",
        f"{_FORGED}::test_what_is_not_of_the_folder_fails",
    ),
    Mutant(
        "evidence: a folder that is there is written over",
        "report/evidence/writing.py",
        "    target.mkdir()  # fails where anything is\n",
        "    target.mkdir(exist_ok=True)\n",
        "tests/report/evidence/test_writing.py::test_what_comes_meanwhile_stays",
    ),
    Mutant(
        "a release is dated when it was done, which may depend on d",
        "kernel/releasing.py",
        "date=entry.time, maker=asked.subject",
        "date=now(), maker=asked.subject",
        "tests/kernel/test_releasing.py::test_the_date_is_that_of_the_charge",
    ),
)
