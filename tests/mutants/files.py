"""Planted bugs of files and the command line."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

__all__ = ["PLANTED"]

PLANTED: tuple[Mutant, ...] = (
    Mutant(
        "a Ctrl-C that strikes in a finaliser is lost",
        "cli/interrupt.py",
        "            _thread.start_new_thread(_press_again, ())",
        "            pass",
        "tests/cli/test_interrupt.py::test_one_press_ends_a_command",
    ),
    Mutant(
        "a Ctrl-C that a library swallows is lost",
        "cli/progress.py",
        "            check()\n",
        "",
        "tests/cli/test_interrupt.py::test_one_that_a_library_swallows_is_heard_after_the_unit",
    ),
    Mutant(
        "a job in the background ends by the Ctrl-C of the foreground",
        "cli/interrupt.py",
        "signal.getsignal(signal.SIGINT) is not signal.default_int_handler",
        "signal.getsignal(signal.SIGINT) is None",
        "tests/cli/test_interrupt.py::test_a_press_that_is_ignored_stays_ignored",
    ),
    Mutant(
        "Ctrl-C does not tell what was charged",
        "cli/errors.py",
        'getattr(stop, "__notes__", ())',
        "()",
        "tests/cli/test_interrupt.py::test_what_was_charged_is_told",
    ),
    Mutant(
        "a name that another took meanwhile is written over",
        "files.py",
        "        if self.overwrite:\n            _looked",
        "        if there is None:\n            self.part.replace(self.path)\n"
        "        elif self.overwrite:\n            _looked",
        "tests/test_files.py::test_of_many_writers_one_gets_the_name",
    ),
    Mutant(
        "a symbolic link in the place of the part is followed",
        "files.py",
        '_OURS = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)',
        "_OURS = os.O_RDWR | os.O_CREAT",
        "tests/test_files.py::test_a_part_is_new_and_no_link_is_followed",
    ),
    Mutant(
        "looking at a ledger drops the locks on it",
        "files.py",
        "    _DATABASES[there.st_dev, there.st_ino] = file",
        "    os.close(file)",
        "tests/test_files.py::test_looking_at_a_database_drops_no_lock_of_this_process",
    ),
    Mutant(
        "the name is not on the disk when a file is written",
        "files.py",
        "        _sync(self.path.parent)\n",
        "",
        "tests/test_files.py::test_file_and_folder_are_on_the_disk_before_it_returns",
    ),
    Mutant(
        "private files are readable by everyone",
        "files.py",
        "0o600 if private else 0o666",
        "0o666",
        "tests/test_files.py::test_rights_are_kept_and_private_files_are_the_owners",
    ),
    Mutant(
        "a ledger is written over where that is asked for",
        "files.py",
        "    if is_database(path):\n        raise OSError(",
        "    if False:\n        raise OSError(",
        "tests/test_files.py::test_what_is_no_ordinary_file_is_left_alone",
    ),
    Mutant(
        "an input is written over where that is asked for",
        "cli/output.py",
        "    if any(_same(path, Path(other)) for other in inputs if other is not None):",
        "    if False:",
        "tests/cli/test_output.py::test_one_guard",
    ),
    Mutant(
        "a job file leads out of its folder by a link in it",
        "app/outputs.py",
        "Path(self.path).resolve().relative_to(folder.resolve())",
        "Path(self.path).absolute().relative_to(folder.absolute())",
        "tests/cli/test_output.py::test_a_job_file_leads_nowhere_else",
    ),
    Mutant(
        "a release is charged although standard output takes nothing",
        "cli/release.py",
        "            check_output(ready.room)\n",
        "            pass\n",
        "tests/cli/test_paid.py::test_without_a_place_nothing_is_charged",
    ),
    Mutant(
        "the disk is not asked for room before the charge",
        "cli/release.py",
        "        place.make_room(ready.room)\n",
        "",
        "tests/cli/test_paid.py::test_a_disk_without_room_is_found_before_the_charge",
    ),
    Mutant(
        "what was charged and could not be written is said to be free",
        "cli/keeping.py",
        "        if made.replayed\n        else",
        "        if True\n        else",
        "tests/cli/test_paid.py::test_a_file_that_came_meanwhile_stays_and_the_charge_is_told",
    ),
    Mutant(
        "an experiment replaces other results",
        "experiments/standing.py",
        "        return all(item in new for item in cast",
        "        return any(item in new for item in cast",
        "tests/experiments/test_standing.py::test_narrower_and_other_results_are_refused",
    ),
    Mutant(
        "the private data become the domain of a published policy",
        "app/inputs.py",
        "isinstance(bound, str) and _same_file(data, bound)",
        "isinstance(bound, str) and data == bound",
        "tests/app/test_hostile.py::test_the_data_do_not_become_the_public_domain_unasked",
    ),
    Mutant(
        "numpy warns of what depends on the data",
        "discreet.py",
        'with np.errstate(all="ignore"):',
        'with np.errstate(under="ignore"):',
        "tests/test_discreet.py::test_numpy_does_not_warn_of_what_depends_on_the_data",
    ),
    Mutant(
        "the names are gone through once for every entry of the data",
        "app/data.py",
        "[name for name in given if name not in known]",
        "[name for name in given if name not in set(names)]",
        "tests/app/test_hostile.py::test_names_are_gone_through_a_few_times_however_many_there_are",
    ),
    Mutant(
        "a forked child keeps open what its parent looked at",
        "files.py",
        "    os.register_at_fork(after_in_child=_forget_databases)",
        "    pass",
        "tests/test_files.py::test_a_forked_child_holds_no_database_that_was_looked_at",
    ),
    Mutant(
        "a ledger that comes while the disk is waited for is written over",
        "files.py",
        "            _looked_at(self.path)  # a ledger may",
        "            # a ledger may",
        "tests/test_files.py::test_a_ledger_that_comes_while_the_disk_is_waited_for_stays",
    ),
    Mutant(
        "a Ctrl-C while the output is written does not name the row",
        "app/preparing.py",
        "                ledger.tell(stop)\n",
        "                pass\n",
        "tests/cli/test_interrupt.py::test_a_release_that_is_kept_is_told_when_it_is_not_written",
    ),
    Mutant(
        "a job file holds half a character",
        "cli/init_program.py",
        "        text.encode()\n",
        "        text.isascii()\n",
        "tests/cli/test_init_program.py::test_half_a_character_in_a_name_is_refused",
    ),
)
