"""Planted bugs of the ledger."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

__all__ = ["PLANTED"]

_TRUTH = "tests/accounting/test_one_truth.py"
_STORE = "tests/accounting/test_store.py"

PLANTED: tuple[Mutant, ...] = (
    Mutant(
        "a ledger with two names is used",
        "accounting/store.py",
        "        if now.st_nlink > 1:",
        "        if False:",
        f"{_TRUTH}::test_a_second_name_is_refused_when_opening_and_while_open",
    ),
    Mutant(
        "a second name that comes during the transaction is not noticed",
        "accounting/store.py",
        "        if self._frozen is None:\n            self._check_same_file()\n        if write",
        "        if write",
        f"{_TRUTH}::test_a_name_that_comes_while_the_lock_is_awaited_is_refused",
    ),
    Mutant(
        "a journal that was left behind undoes charges",
        "accounting/journal.py",
        "    if not has_journal(path) or _is_never_played(path):\n",
        "    if True:\n",
        f"{_TRUTH}::test_a_journal_left_behind_undoes_no_charge",
    ),
    Mutant(
        "a journal is recognised by its counter alone",
        "accounting/journal.py",
        "        follows or now.marked == old.marked\n",
        "        True\n",
        f"{_TRUTH}::test_a_foreign_journal_is_not_played_back",
    ),
    Mutant(
        "a move is not put on record",
        "accounting/ledger.py",
        "                if head.home == home:",
        "                if True:",
        f"{_TRUTH}::test_a_journal_left_behind_does_not_undo_a_single_write",
    ),
    Mutant(
        "a moved ledger is not checked in full",
        "accounting/opening.py",
        '    verify(lambda: nullcontext(connection), "")\n    chain.append',
        "    chain.append",
        f"{_TRUTH}::test_a_move_is_on_record_once_and_checked_in_full",
    ),
    Mutant(
        "a log beside a ledger is read",
        "accounting/journal.py",
        "    if version_of(page.marked) == VERSION and has_log(path):",
        "    if False:",
        f"{_TRUTH}::test_a_log_beside_a_ledger_is_not_read",
    ),
    Mutant(
        "a write-ahead log is kept",
        "accounting/connecting.py",
        '"PRAGMA journal_mode = DELETE"',
        '"PRAGMA journal_mode"',
        f"{_TRUTH}::test_a_ledger_turned_to_a_log_by_an_older_version_is_turned_back",
    ),
    Mutant(
        "a new ledger can be read by everyone",
        "accounting/held.py",
        "os.O_EXCL, 0o600",
        "os.O_EXCL, 0o666",
        f"{_TRUTH}::test_only_its_owner_can_read_a_new_ledger_and_rights_stay",
    ),
    Mutant(
        "a view in the place of the table is used",
        "accounting/store.py",
        "            if not self._any_format:\n                check_schema(self._connection)\n",
        "",
        "tests/accounting/test_hostile.py::test_tables_that_change_while_a_ledger_is_open_are_refused",
    ),
    Mutant(
        "a signal handler that looks rolls the transaction back",
        "accounting/store.py",
        "        if visits.inside(store) is None:",
        "        if True:",
        f"{_STORE}::test_a_signal_handler_that_looks_leaves_the_transaction_alone",
    ),
    Mutant(
        "a transaction that an interrupt cut off locks the ledger for ever",
        "accounting/visits.py",
        "            free = there is None or not there.goes_on",
        "            free = there is None",
        f"{_STORE}::test_a_transaction_that_an_interrupt_cut_off_is_over",
    ),
    Mutant(
        "a forked child keeps the turn of a key",
        "accounting/turn.py",
        "    while _held:\n        os.close(_held.pop())\n",
        "",
        f"{_STORE}::test_a_child_that_is_forked_while_a_release_is_made_holds_no_lock",
    ),
    Mutant(
        "a redacted key can be charged again",
        "accounting/protocol.py",
        '"SELECT seq FROM entries WHERE key_digest = ?", (mark,)',
        '"SELECT seq FROM entries WHERE key = ?", (key,)',
        "tests/accounting/test_redaction.py::test_a_redacted_key_stays_used_and_is_not_charged_again",
    ),
    Mutant(
        "a redacted charge costs nothing when charges are added up",
        "accounting/charged_loss.py",
        "    if charge == Budget(0):\n        return None\n",
        "    if charge == Budget(0) or request is None:\n        return None\n",
        "tests/accounting/test_redaction.py::test_a_redacted_charge_counts_in_full_when_charges_are_added_up",
    ),
    Mutant(
        "the digests of format 1 are not checked when a ledger is migrated",
        "accounting/verification.py",
        "not (row.redacted or legacy_digest(row, old) == row.legacy)",
        "False",
        "tests/accounting/test_old.py::test_a_damaged_old_ledger_is_not_migrated",
    ),
    Mutant(
        "the last events are found by reading all",
        "accounting/inspection.py",
        "fetchone()[0] or 1) - 1",
        "fetchone()[0] or 1) * 0",
        "tests/accounting/test_growth.py::test_a_look_at_the_end_reads_the_end",
    ),
    Mutant(
        "a journal is played back over a whole ledger",
        "accounting/journal.py",
        "    if not has_log(path) and _is_whole(path):\n",
        "    if False:\n",
        "tests/accounting/test_one_truth.py::test_a_journal_that_comes_back_undoes_nothing",
    ),
)
