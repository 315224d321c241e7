"""Planted bugs of the ledger."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

__all__ = ["PLANTED"]

_TRUTH = "tests/ledger/test_one_truth.py"
_STORE = "tests/ledger/test_store.py"
_SHARED = "tests/ledger/test_shared_pages.py"

PLANTED: tuple[Mutant, ...] = (
    Mutant(
        "a ledger with two names is used",
        "ledger/store.py",
        "        if now.st_nlink > 1:",
        "        if False:",
        f"{_TRUTH}::test_a_second_name_is_refused_when_opening_and_while_open",
    ),
    Mutant(
        "a second name that comes during the transaction is not noticed",
        "ledger/store.py",
        "        if self._frozen is None:\n            self._check_same_file()\n        if write",
        "        if write",
        f"{_TRUTH}::test_a_name_that_comes_while_the_lock_is_awaited_is_refused",
    ),
    Mutant(
        "a journal that was left behind undoes charges",
        "ledger/journal.py",
        "    if not has_journal(path) or _is_never_played(path):\n",
        "    if True:\n",
        f"{_TRUTH}::test_a_journal_left_behind_undoes_no_charge",
    ),
    Mutant(
        "a journal is recognised by its counter alone",
        "ledger/journal.py",
        "        follows or now.marked == old.marked\n",
        "        True\n",
        f"{_TRUTH}::test_a_foreign_journal_is_not_played_back",
    ),
    Mutant(
        "a move is not put on record",
        "ledger/ledger.py",
        "                if head.home == home:",
        "                if True:",
        f"{_TRUTH}::test_a_journal_left_behind_does_not_undo_a_single_write",
    ),
    Mutant(
        "a moved ledger is not checked in full",
        "ledger/opening.py",
        '    verify(lambda: nullcontext(connection), "")\n    chain.append',
        "    chain.append",
        f"{_TRUTH}::test_a_move_is_on_record_once_and_checked_in_full",
    ),
    Mutant(
        "a log beside a ledger is read",
        "ledger/journal.py",
        "    if version_of(page.marked) == VERSION and has_log(path):",
        "    if False:",
        f"{_TRUTH}::test_a_log_beside_a_ledger_is_not_read",
    ),
    Mutant(
        "a write-ahead log is kept",
        "ledger/connecting.py",
        '"PRAGMA journal_mode = DELETE"',
        '"PRAGMA journal_mode"',
        f"{_TRUTH}::test_a_ledger_turned_to_a_log_by_an_older_version_is_turned_back",
    ),
    Mutant(
        "a new ledger can be read by everyone",
        "ledger/held.py",
        "os.O_EXCL, 0o600",
        "os.O_EXCL, 0o666",
        f"{_TRUTH}::test_only_its_owner_can_read_a_new_ledger_and_rights_stay",
    ),
    Mutant(
        "a view in the place of the table is used",
        "ledger/store.py",
        "            if not self._any_format:\n                check_schema(self._connection)\n",
        "",
        "tests/ledger/test_hostile.py::test_tables_that_change_while_a_ledger_is_open_are_refused",
    ),
    Mutant(
        "a signal handler that looks rolls the transaction back",
        "ledger/store.py",
        "        if visits.inside(store) is None:",
        "        if True:",
        f"{_STORE}::test_a_signal_handler_that_looks_leaves_the_transaction_alone",
    ),
    Mutant(
        "a transaction that an interrupt cut off locks the ledger for ever",
        "ledger/visits.py",
        "            free = there is None or not there.goes_on",
        "            free = there is None",
        f"{_STORE}::test_a_transaction_that_an_interrupt_cut_off_is_over",
    ),
    Mutant(
        "a forked child keeps the turn of a key",
        "ledger/turn.py",
        "    while _held:\n        os.close(_held.pop())\n",
        "",
        f"{_STORE}::test_a_child_that_is_forked_while_a_release_is_made_holds_no_lock",
    ),
    Mutant(
        "a redacted key can be charged again",
        "ledger/protocol.py",
        "    row = chain.row_of_key(connection, thing_digest(key))",
        "    row = next((r for r in chain.rows(connection, 1) if r.key == key), None)",
        "tests/ledger/test_redaction.py::test_a_redacted_key_stays_used_and_is_not_charged_again",
    ),
    Mutant(
        "a redacted charge costs nothing when charges are added up",
        "ledger/charged_loss.py",
        "    if charge == Budget(0):\n        return None\n",
        "    if charge == Budget(0) or request is None:\n        return None\n",
        "tests/ledger/test_redaction.py::test_a_redacted_charge_counts_in_full_when_charges_are_added_up",
    ),
    Mutant(
        "the digests of format 1 are not checked when a ledger is migrated",
        "ledger/verification.py",
        "not (row.redacted or legacy_digest(row, old) == row.legacy)",
        "False",
        "tests/ledger/test_old.py::test_a_damaged_old_ledger_is_not_migrated",
    ),
    Mutant(
        "the last events are found by reading all",
        "ledger/inspection.py",
        "                if len(events) == last:\n                    break\n",
        "",
        "tests/ledger/test_growth.py::test_a_look_at_the_end_reads_the_end",
    ),
    Mutant(
        "a journal is played back over a whole ledger",
        "ledger/journal.py",
        "    if not has_log(path) and _is_whole(path):\n",
        "    if False:\n",
        "tests/ledger/test_one_truth.py::test_a_journal_that_comes_back_undoes_nothing",
    ),
    Mutant(
        "statements may take any number of steps",
        "ledger/connecting.py",
        "chain(repeat(0, looks), repeat(1)).__next__",
        "repeat(0).__next__",
        f"{_SHARED}::test_pages_with_many_parents_hold_nobody_up",
    ),
    Mutant(
        "the steps that a statement may take are too few for an honest ledger",
        "ledger/connecting.py",
        "_STEPS = 4 ",
        "_STEPS = 0 ",
        f"{_SHARED}::test_an_honest_ledger_is_far_from_the_bound",
    ),
    Mutant(
        "a row that is missing is not missed by who looks",
        "ledger/chain.py",
        "        if row.seq != expected:",
        "        if False:",
        "tests/ledger/test_chain.py::test_a_removed_row_is_found",
    ),
    Mutant(
        "rows are collected before they are checked",
        "ledger/chain.py",
        "    for values in fitting(connection, found, COLUMNS):",
        "    for values in list(fitting(connection, found.fetchmany(300), COLUMNS)):",
        f"{_SHARED}::test_rows_are_checked_as_they_come_and_not_kept",
    ),
    Mutant(
        "rows may be longer than their file",
        "ledger/chain.py",
        "        if room < 0:",
        "        if False:",
        f"{_SHARED}::test_rows_that_are_longer_than_their_file_are_refused",
    ),
    Mutant(
        "what SQLite says of an old ledger that is only looked at is not our error",
        "ledger/store.py",
        '            copy.execute("COMMIT")\n        except _FAILURES as error:',
        '            copy.execute("COMMIT")\n        except ZeroDivisionError as error:',
        f"{_SHARED}::test_an_old_ledger_with_many_parents_is_refused",
    ),
    Mutant(
        "what a request says is not checked when its row is read",
        "ledger/row.py",
        '        _ = row.subject if row.kind == "opened" else row.asked\n',
        "        _ = None\n",
        "tests/ledger/test_forged.py::test_the_row_is_named_wherever_it_is_read",
    ),
    Mutant(
        "the numbers of a request may be anything",
        "ledger/request.py",
        "        odd = [name for name, sound in self._sound().items() if not sound]",
        "        odd: list[str] = []",
        "tests/ledger/test_forged.py::test_the_row_is_named_wherever_it_is_read",
    ),
    Mutant(
        "amounts may be larger than any budget",
        "ledger/row.py",
        "        and int(value) <= most\n",
        "",
        "tests/ledger/test_forged.py::test_columns_that_no_ledger_writes_name_their_row",
    ),
    Mutant(
        "a statement that someone still holds keeps the file locked",
        "ledger/store.py",
        "                self._connection.finish()\n",
        "",
        f"{_STORE}::test_a_scan_that_failed_locks_nobody_out",
    ),
    Mutant(
        "a Ctrl-C during the commit of a charge does not name the row",
        "ledger/ledger.py",
        "            self._mine.charges = admitted\n            self.tell(error)\n",
        "            self._mine.charges = admitted\n",
        "tests/ledger/test_standing.py::test_while_the_charge_is_written",
    ),
    Mutant(
        "another's charge is taken for the one that was rolled back",
        "ledger/standing.py",
        "    if row is None or not row.known_as(entry.digest):",
        "    if row is None:",
        "tests/ledger/test_standing.py::test_another_charge_in_the_same_row_is_not_taken_for_it",
    ),
    Mutant(
        "a statement that an interrupt cut off goes on",
        "ledger/connecting.py",
        "        self._begun.append(ref(begun))  # first: an interrupt may strike when it has "
        "begun\n"
        "        return begun.execute(sql, parameters)",
        "        begun.execute(sql, parameters)\n        self._begun.append(ref(begun))\n"
        "        return begun",
        f"{_STORE}::test_a_statement_that_an_interrupt_cut_off_is_over",
    ),
    Mutant(
        "SQLite's check goes down any tree",
        "ledger/schema.py",
        "    for scan in _SCANS:\n        connection.execute(scan).fetchone()\n",
        "",
        f"{_SHARED}::test_a_tree_of_50_000_levels_is_refused",
    ),
    Mutant(
        "a key stands for any objective and any chance of each row",
        "mechanisms/plan.py",
        "request_of(self, self._mechanism, self.choices and self.choices.digests)",
        "request_of(self, self._mechanism)",
        "tests/kernel/test_releasing.py::test_the_request_tells_programs_queries_and_claims_apart",
    ),
    Mutant(
        "an interrupt names the row that was charged last",
        "ledger/ledger.py",
        "        except BaseException as error:\n            self._mine.charges = admitted\n",
        "        except BaseException as error:\n",
        "tests/ledger/test_standing.py::test_the_row_is_that_of_the_charge_itself",
    ),
    Mutant(
        "a ledger may take the name of another's journal",
        "ledger/ledger.py",
        "        if not read_only and beside_database(self.path.name):",
        "        if False:",
        "tests/ledger/test_one_truth.py::test_no_ledger_takes_the_name_of_what_belongs_to_another",
    ),
)
