"""Planted bugs of what the curator hands over, and of what a file claims."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

__all__ = ["PLANTED"]

_NUMBERS = "tests/test_curators_numbers.py::"
_CLAIMS = "tests/test_file_claims.py::"
_STATED = "tests/cli/test_stated.py::"
_TEXT = "tests/cli/test_hostile_text.py::"

PLANTED: tuple[Mutant, ...] = (
    Mutant(
        "the bounds of a domain are read by position, whatever their labels",
        "model/domain.py",
        "any(map(arrays.is_series, (self.lower, self.upper)))",
        "False",
        "tests/kernel/test_bad_instruments.py::test_labels_decide_and_not_the_order",
    ),
    Mutant(
        "a table of data is refused after the charge",
        "arrays.py",
        "if length is not None and nested(value):",
        "if False:",
        "tests/kernel/test_bad_instruments.py::test_what_is_refused_is_not_charged",
    ),
    Mutant(
        "a measurement is calibrated to what floats make of alpha",
        "kernel/noisy_map.py",
        "bound, relation = exact.bound(), privacy.neighbours.widened(*exact.box)",
        "bound, relation = exact.bound(), privacy.neighbours",
        "tests/test_curators_numbers.py::test_decimals_exactly_alpha_apart_stay_within_the_charge",
    ),
    Mutant(
        "conversion to floats widens alpha by a quarter of what it can",
        "noise/neighbours.py",
        "return round_up(exact_alpha(alpha) + Fraction(spacing))",
        "return round_up(exact_alpha(alpha) + Fraction(spacing) / 4)",
        "tests/noise/test_neighbours.py::test_neighbours_stay_within_the_widened_alpha",
    ),
    Mutant(
        "alpha is the float below the decimal that was typed",
        "noise/neighbours.py",
        "return max(Fraction(alpha), Fraction(repr(float(alpha))))",
        "return Fraction(alpha)",
        "tests/noise/test_neighbours.py::test_alpha_is_the_decimal_that_was_typed",
    ),
    Mutant(
        "a domain that floats cannot tell apart is taken",
        "noise/neighbours.py",
        "if Fraction(spacing) * 2**_SHARE > exact_alpha(alpha):",
        "if spacing == math.inf:",
        _NUMBERS + "test_input_perturbation_refuses_a_domain_that_floats_cannot_tell_apart",
    ),
    Mutant(
        "input perturbation without a domain is called proven",
        "claims/privacy.py",
        "        Provenance.PROVEN if bounded else Provenance.ASSUMED,\n",
        "        Provenance.PROVEN,\n",
        _NUMBERS + "test_input_perturbation_without_a_domain_proves_nothing",
    ),
    Mutant(
        "input perturbation does not clamp",
        "mechanisms/baselines.py",
        "noisy = self.calibration.draw(self.centre)",
        "noisy = self.calibration.draw(self.program.d[self.program.private])",
        "tests/mechanisms/test_baselines.py::test_noise_is_added_to_clamped_data",
    ),
    Mutant(
        "numbers are rounded twice, to a long double first",
        "arrays.py",
        "        return np.array(array, dtype=float)\n    except",
        "        return np.array(array, dtype=np.longdouble).astype(float)\n    except",
        _NUMBERS + "test_every_number_is_rounded_once",
    ),
    Mutant(
        "a number that no float holds is refused",
        "arrays.py",
        "nearest if exact == nearest else math.copysign(sys.float_info.max, nearest)",
        "nearest",
        _NUMBERS + "test_a_number_that_no_float_holds_is_clamped_like_any_other",
    ),
    Mutant(
        "a number below all floats is clamped to the upper end",
        "arrays.py",
        "nearest = math.inf if number > 0 else -math.inf",
        "nearest = math.inf",
        _NUMBERS + "test_a_number_that_no_float_holds_is_clamped_like_any_other",
    ),
    Mutant(
        "a program is solved for the largest float where d holds more",
        "solving/program.py",
        "if np.abs(d).max(initial=0.0) >= sys.float_info.max:",
        "if np.abs(d).max(initial=0.0) > sys.float_info.max:",
        _NUMBERS + "test_without_a_domain_such_numbers_are_refused",
    ),
    Mutant(
        "a release claims what its file says",
        "kernel/release.py",
        "            and promises(release.guarantee, *loss)\n",
        "",
        "tests/kernel/test_release.py::test_a_promise_that_is_stronger_than_its_numbers_is_refused",
    ),
    Mutant(
        "a claim is printed with six digits",
        "digits.py",
        "    text = repr(float(value))\n",
        '    text = f"{value:g}"\n',
        _CLAIMS + "test_claims_print_enough_digits_to_be_true",
    ),
    Mutant(
        "what a file states is shown as if it were known",
        "claims/guarantee.py",
        "            stated=True,\n",
        "            stated=False,\n",
        "tests/test_file_claims.py::test_a_release_that_nobody_edited_comes_back",
    ),
    Mutant(
        "a label does not say that only a file states it",
        "claims/guarantee.py",
        'return f"{self.word} {_STATED}" if self.stated else self.word',
        "return self.word",
        _STATED + "test_an_edited_release",
    ),
    Mutant(
        "a picture shows the bare word of a claim",
        "show/releases.py",
        'privacy {release.guarantee.privacy.label}"',
        'privacy {release.guarantee.privacy.word}"',
        _STATED + "test_an_edited_release",
    ),
    Mutant(
        "a report takes a row's words for what it claims",
        "report/records.py",
        'given = row.get("claims")',
        "given = None",
        "tests/report/test_records.py::test_claims_are_read_from_numbers_whatever_the_words_say",
    ),
    Mutant(
        "a terminal obeys the text of a file",
        "foreign.py",
        '_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")',
        '_UNSEEN = ("Cs", "Co", "Zl", "Zp")',
        _TEXT + "test_a_release",
    ),
    Mutant(
        "a name may begin a line of its own",
        "cli/streams.py",
        "return without_markup(shown(text, lines=lines))",
        "return without_markup(shown(text, lines=True))",
        _TEXT + "test_a_ledger",
    ),
    Mutant(
        "a subclass is taken for the class it was made from",
        "digest.py",
        'if "kind" not in cls.__dict__:',
        'if not hasattr(cls, "kind"):',
        "tests/test_registries.py::test_a_subclass_is_not_taken_for_the_class_it_was_made_from",
    ),
    Mutant(
        "anyone's word is taken for a proof",
        "noise/sensitivity.py",
        "if type(value) not in {Assumed, Sampled}:",
        "if not isinstance(value, Sensitivity):",
        "tests/test_registries.py::test_nobody_elses_word_is_taken_for_a_proof",
    ),
    Mutant(
        "changes of one owner cancel",
        "kernel/fixed.py",
        "        columns = np.abs(self.matrix[:, own])",
        "        columns = self.matrix[:, own]",
        "tests/kernel/test_fixed.py::test_signs_of_one_owner_never_cancel",
    ),
    Mutant(
        "one entry of an owner is hidden, not all",
        "noise/owners.py",
        "return [found[owner] for owner in sorted(found)]",
        "return [found[owner][:1] for owner in sorted(found)]",
        "tests/kernel/test_fixed.py::test_hourly_totals_of_a_household",
    ),
    Mutant(
        "rows of a customer outside of its public sites count",
        "adapters/table_data.py",
        "if self.of_people and (position not in there or position not in private):",
        "if self.of_people and not own:",
        "tests/adapters/test_table_data.py::test_rows_outside_of_the_sites_count_as_zero",
    ),
    Mutant(
        "the public part of a private entry goes when a row of it comes",
        "adapters/table_data.py",
        "if loads if k in private else k not in reading.seen:",
        "if loads or k not in reading.seen:",
        "tests/adapters/test_table_data.py::test_nothing_public_depends_on_one_customers_rows",
    ),
    Mutant(
        "whether a customer's rows are there is told by a refusal",
        "adapters/table_data.py",
        'if lacking and missing != "zero" and not reading.of_people:',
        'if lacking and missing != "zero":',
        "tests/adapters/test_table_data.py::test_nothing_public_depends_on_one_customers_rows",
    ),
    Mutant(
        "customers in a frame may be numbers, which one missing cell rounds",
        "adapters/table_rows.py",
        "if not is_string_dtype(",
        "if False and is_string_dtype(",
        "tests/adapters/test_table_data.py"
        "::test_a_frame_of_people_says_buses_and_customers_in_texts",
    ),
    Mutant(
        "an integer amount counts exactly, unless another cell makes it a float",
        "adapters/table_numbers.py",
        "_written(repr(float(cell.real)))",
        "_written(str(cell.real))",
        "tests/adapters/test_table_data.py::test_one_cell_of_a_frame_changes_no_other_row",
    ),
    Mutant(
        "sites of another program are taken",
        "adapters/table_data.py",
        "of = program if sites is None else sites.program",
        "of = program",
        "tests/adapters/test_table_data.py::test_sites_are_of_the_entries_that_are_read",
    ),
    Mutant(
        "of a file without line feeds, a NUL in any row refuses all",
        "adapters/table_rows.py",
        "start.splitlines()[:1]",
        'start.split(b"\\n")[:1]',
        "tests/adapters/test_table_data.py::test_nothing_public_depends_on_one_customers_rows",
    ),
    Mutant(
        "a cell that cannot be read ends the reading",
        "adapters/table_numbers.py",
        "with suppress(Exception):  #",
        "with suppress(ValueError):  #",
        "tests/adapters/test_table_data.py::test_one_cell_of_a_frame_changes_no_other_row",
    ),
    Mutant(
        "a receipt of other data or of another job will do",
        "app/receipt.py",
        '{name: table.get(name) for name in ("data", "job")} == _bound(job, subject)',
        "bool(table)",
        "tests/cli/test_check.py::test_a_receipt_of_something_else_does_not_hold",
    ),
    Mutant(
        "what a customer adds is cut to a multiple of how finely other rows are written",
        "adapters/table_numbers.py",
        "return high if above else (top, self.places)",
        "return (high[0] * 10**self.places // 10 ** high[1], self.places) if above else (top, "
        "self.places)",
        "tests/adapters/test_table_data.py::"
        "test_all_of_one_customer_is_hidden_where_amounts_are_bounded",
    ),
    Mutant(
        "the rounding of an owner's other entries is left out of a total",
        "kernel/fixed.py",
        "        rounding = sum(sizes, Fraction(0)) * (1",
        "        rounding = Fraction(0) * (1",
        "tests/kernel/test_fixed.py::test_a_total_pays_for_the_rounding_of_every_entry",
    ),
    Mutant(
        "every entry is hidden by the smallest alpha",
        "noise/neighbours.py",
        "        alpha = self.alpha if isinstance(self.alpha, tuple) else (self.alpha,) * size",
        "        alpha = (self.grain,) * size",
        "tests/kernel/test_fixed.py::test_alpha_by_entry_scales_the_columns",
    ),
    Mutant(
        "a ledger adds up epsilons for other owners",
        "ledger/subject.py",
        "and relation != subject.relation:",
        "and False:",
        "tests/ledger/test_subject.py::test_another_relation_is_refused",
    ),
    Mutant(
        "a plain request is written in other words than before",
        "ledger/request.py",
        'if name != "relation" or value}',
        "}",
        "tests/ledger/test_request.py::test_the_text_of_a_plain_request",
    ),
)
