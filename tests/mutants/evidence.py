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
        "say([mine] == stored,",
        "say(True,",
        f"{_FORGED}::test_a_forgery_fails_under_its_own_manifest",
    ),
    Mutant(
        "evidence: the script believes a charge below what its request costs",
        "report/evidence/recompute.py",
        ">= cost(json.loads(request), part)",
        ">= 0",
        f"{_FORGED}::test_a_forgery_fails_under_its_own_manifest",
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
