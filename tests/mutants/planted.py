"""The bugs. Each is one edit of one file and the test that kills it.

`old` must occur exactly once in the file: where the code has moved on, `tests/mutants/test_planted`
says so. The bugs of a room that has many are a file beside this one.
"""

from __future__ import annotations

from tests.mutants import certificates, data, evidence, files, ledgers, solving
from tests.mutants.mutant import Mutant

__all__ = ["PLANTED"]

PLANTED = (
    # Noise
    Mutant(
        "Laplace noise is drawn at 0.99 of its scale",
        "noise/laplace.py",
        "draw=partial(secure.laplace, scale=scale, k=k)",
        "draw=partial(secure.laplace, scale=0.99 * scale, k=k)",
        "tests/test_draws.py::test_one_draw_at_the_calibrated_scale",
    ),
    Mutant(
        "Gaussian noise is drawn at 0.99 of its scale",
        "noise/gaussian.py",
        "draw=partial(secure.gaussian, scale=sigma, k=k)",
        "draw=partial(secure.gaussian, scale=0.99 * sigma, k=k)",
        "tests/test_draws.py::test_one_draw_at_the_calibrated_scale",
    ),
    Mutant(
        "Laplace noise is calibrated to the l2 norm",
        "noise/laplace.py",
        "order: ClassVar[int] = 1",
        "order: ClassVar[int] = 2",
        "tests/certified/test_planted_faults.py::test_sound_code_passes",
    ),
    Mutant(
        "noise is drawn once and used again",
        "noise/secure.py",
        "    return np.array(measurement([float(value) for value in values]))",
        "    kept = _KEPT.setdefault(len(values), measurement([0.0] * len(values)))\n"
        "    return values + np.array(kept)\n\n\n_KEPT: dict[int, Any] = {}",
        "tests/test_draws.py::test_each_release_draws_afresh",
    ),
    Mutant(
        "every coordinate gets the same noise",
        "noise/secure.py",
        "    return np.array(measurement([float(value) for value in values]))",
        "    drawn = np.array(measurement([float(value) for value in values]))\n"
        "    return values + (drawn[0] - values[0])",
        "tests/test_draws.py::test_each_release_draws_afresh",
    ),
    Mutant(
        "noise comes from a seeded generator",
        "noise/secure.py",
        "    return np.array(measurement([float(value) for value in values]))",
        "    return values + np.random.default_rng(0).laplace(size=len(values))",
        "tests/test_draws.py::test_noise_depends_on_nothing_that_can_be_set",
    ),
    Mutant(
        "noise is drawn and added in floats",
        "noise/secure.py",
        "    return np.array(measurement([float(value) for value in values]))",
        "    return values + np.random.default_rng().laplace(scale=0.1, size=len(values))",
        "tests/test_grid.py::test_releases_lie_on_the_grid",
    ),
    Mutant(
        "the grid's share is left out of the Laplace charge",
        "noise/secure.py",
        "        return float(laplace_measurement(size, scale, k).map(sensitivity))",
        "        return sensitivity / scale",
        "tests/noise/test_charges.py::test_charges_are_never_below_the_exact_ones",
    ),
    Mutant(
        "the grid's share is left out of the truncated charge",
        "noise/truncated.py",
        "moved = Fraction(Delta) + size * step",
        "moved = Fraction(Delta)",
        "tests/noise/test_charges.py::test_charges_are_never_below_the_exact_ones",
    ),
    Mutant(
        "the tries of a repeated release are charged once",
        "noise/laplace.py",
        "charged = Fraction(secure.laplace_charge(size, scale, k, Delta)) * tries",
        "charged = Fraction(secure.laplace_charge(size, scale, k, Delta))",
        "tests/noise/test_charges.py::test_charges_are_never_below_the_exact_ones",
    ),
    Mutant(
        "truncated noise is clipped instead of drawn again",
        "noise/secure.py",
        "        kept = np.abs(drawn) <= bound",
        "        drawn = np.clip(drawn, -bound, bound)\n        kept = np.abs(drawn) <= bound",
        "tests/noise/test_secure.py::test_the_truncated_law_on_a_coarse_grid",
    ),
    Mutant(
        "the cut of truncated noise forgets delta's factor of two",
        "noise/truncated.py",
        "- math.log(2 * delta)",
        "- math.log(4 * delta)",
        "tests/noise/test_truncated.py::test_one_value_is_private_by_exact_summation",
    ),
    # What reads d
    Mutant(
        "data outside of the domain are not clamped",
        "kernel/fixed.py",
        "        steps = np.rint(np.ldexp(np.clip(d, low, high), self.coarse))\n"
        "        return np.clip(steps, self.low, self.high).astype(np.int64)",
        "        return np.rint(np.ldexp(d, self.coarse)).astype(np.int64)",
        "tests/kernel/test_fixed.py::test_data_outside_the_domain_count_as_its_ends",
    ),
    Mutant(
        "the map's sensitivity is rounded down",
        "scalars.py",
        "def round_up(value: Fraction) -> float:",
        "def round_up(value: Fraction) -> float:\n"
        "    return math.nextafter(float(value), 0.0)\n\n\n"
        "def _unused(value: Fraction) -> float:",
        "tests/noise/test_sensitivity.py::test_round_up_is_the_smallest_float_not_below",
    ),
    Mutant(
        "the sensitivity forgets that rounding moves neighbours apart",
        "kernel/fixed.py",
        "return round_up(most * unit + (p if order == 1 else math.isqrt(p) + 1) * cell)",
        "return round_up(most * unit)",
        "tests/kernel/test_fixed.py::test_neighbours_move_the_map_by_no_more_than_its_sensitivity",
    ),
    Mutant(
        "a measurement is drawn again until it lies within limits",
        "kernel/noisy_map.py",
        "        return self.as_release(\n"
        "            self.noise.draw(self.map.on_grid(private, self.noise.exponent)), entry\n"
        "        )",
        "        start = self.map.on_grid(private, self.noise.exponent)\n"
        "        while np.abs(values := self.noise.draw(start)).max() > 100:\n"
        "            pass\n"
        "        return self.as_release(values, entry)",
        "tests/test_draws.py::test_a_draw_that_breaks_every_limit_is_released_as_it_is",
    ),
    Mutant(
        "a plan's release is clipped to the limits",
        "mechanisms/plan.py",
        "        values = self.calibration.draw(base)\n        if self.repeat is not None:",
        "        values = np.clip(self.calibration.draw(base), -9, 9)\n"
        "        if self.repeat is not None:",
        "tests/test_draws.py::test_a_draw_that_breaks_every_limit_is_released_as_it_is",
    ),
    Mutant(
        'the test "public" of a repeated plan reads unreleased values',
        "mechanisms/plan.py",
        'if self.repeat is None or self.repeat.test == "published":',
        "if True:",
        "tests/mechanisms/test_repeat.py::test_public_test_gives_neighbours_the_same_verdict",
    ),
    Mutant(
        "a saved instrument may claim less noise than its map needs",
        "kernel/noisy_map.py",
        "    if Delta > noise.sensitivity:",
        "    if Delta > 10 * noise.sensitivity:",
        "tests/kernel/test_noisy_map.py::test_a_map_with_a_heavier_column_than_its_noise_is_refused",
    ),
    Mutant(
        "a plan's assumed privacy is labelled PROVEN",
        "claims/privacy.py",
        '        sensitivity.provenance,\n        f"noise independent',
        '        Provenance.PROVEN,\n        f"noise independent',
        "tests/claims/test_privacy.py::test_the_claim_of_a_plan_is_as_good_as_its_sensitivity",
    ),
    # The ledger
    Mutant(
        "the release is made before it is charged",
        "ledger/ledger.py",
        "                step = self._write(admission)\n",
        '                made = make(Entry("", 0, "", "0", "0"))\n'
        "                make = lambda _: made  # noqa: E731\n"
        "                step = self._write(admission)\n",
        "tests/kernel/test_releasing.py::test_d_is_read_after_the_charge_and_never_if_it_is_refused",
    ),
    Mutant(
        "the output is returned before it is stored",
        "ledger/ledger.py",
        "            self._keep(step, output)\n",
        "",
        "tests/kernel/test_releasing.py::test_every_mechanism_is_charged_and_replayed",
    ),
    Mutant(
        "a charge that failed is given back",
        "ledger/protocol.py",
        "    if row is None:\n        waiting",
        "    if row is None:\n        return None\n    if row is None:\n        waiting",
        "tests/kernel/test_releasing.py::test_data_that_cannot_be_read_burn_their_charge",
    ),
    Mutant(
        "the sum is compared in floats",
        "ledger/budget.py",
        "return self.epsilon <= limit.epsilon and self.delta <= limit.delta",
        "return self.epsilon / 1e30 <= limit.epsilon / 1e30 + 1e-3",
        "tests/kernel/test_releasing.py::test_ten_releases_of_a_tenth_fit_one_and_an_eleventh_does_not",
    ),
    Mutant(
        "delta is not added up",
        "ledger/budget.py",
        "return Units(self.epsilon + other.epsilon, self.delta + other.delta)",
        "return Units(self.epsilon + other.epsilon, max(self.delta, other.delta))",
        "tests/ledger/test_protocol.py::test_delta_has_its_own_limit",
    ),
    Mutant(
        "charges are rounded down to whole units",
        "ledger/budget.py",
        "return Units(math.ceil(epsilon * EPSILON_UNITS), math.ceil(delta * DELTA_UNITS))",
        "return Units(math.floor(epsilon * EPSILON_UNITS), math.floor(delta * DELTA_UNITS))",
        "tests/ledger/test_budget.py::test_charges_are_rounded_up_and_limits_down_by_less_than_a_unit",
    ),
    Mutant(
        "the noise's own charge is ignored where it is above what was asked",
        "ledger/request.py",
        "return Budget(max(asked[0], own[0]), max(asked[1], own[1]))",
        "return Budget(asked[0], asked[1])",
        "tests/kernel/test_releasing.py::test_the_charge_is_what_was_asked_unless_the_noise_costs_more",
    ),
    Mutant(
        "another request under a used key is replayed",
        "ledger/protocol.py",
        "    if row.request_digest != thing_digest(request.text):",
        "    if False:",
        "tests/kernel/test_releasing.py::test_d_is_read_after_the_charge_and_never_if_it_is_refused",
    ),
    Mutant(
        "a copy made in the same process unlocks the ledger",
        "ledger/stores/sqlite/file.py",
        "if not held.lock(exclusive=write, until=until):\n            raise failure",
        "if False:\n            raise failure",
        "tests/ledger/stores/sqlite/test_locks.py::test_a_copy_made_in_the_same_process_does_not_unlock_the_ledger",
    ),
    Mutant(
        "a commit returns before the data is on the disk",
        "ledger/stores/sqlite/connecting.py",
        'connection.execute("PRAGMA synchronous = EXTRA")',
        'connection.execute("PRAGMA synchronous = OFF")',
        "tests/ledger/stores/sqlite/test_connecting.py::test_a_commit_waits_for_the_disk",
    ),
    Mutant(
        "an open database is carried across a fork",
        "ledger/stores/sqlite/visits.py",
        'if hasattr(os, "register_at_fork"):',
        "if False:",
        "tests/ledger/stores/sqlite/test_store.py::test_no_open_file_is_carried_across_a_fork",
    ),
    Mutant(
        "garbage is collected while the threads are listed",
        "ledger/stores/sqlite/visits.py",
        "            gc.disable()\n",
        "",
        "tests/ledger/stores/sqlite/test_visits.py"
        "::test_garbage_that_needs_the_list_of_threads_does_not_stop_everything",
    ),
    Mutant(
        "the chain does not cover the outputs",
        "ledger/row.py",
        'name not in ("digest", *THINGS)',
        'name not in ("digest", "output_digest", *THINGS)',
        "tests/ledger/test_chain.py::test_a_change_of_any_column_of_any_row_is_found",
    ),
    Mutant(
        "epsilons at different alphas are added",
        "ledger/subject.py",
        "    if alpha is not None and settled is not None and alpha != settled:",
        "    if False:",
        "tests/kernel/test_releasing.py::test_one_alpha_and_one_private_set",
    ),
    Mutant(
        "the digest of a request covers the private data",
        "mechanisms/answer.py",
        '"data": public_data(self.program)}',
        '"data": self.program.d.tolist()}',
        "tests/mechanisms/test_answer.py::test_the_request_tells_nothing_of_d",
    ),
    # Types
    Mutant(
        "private objects can be written to a file",
        "kernel/wire.py",
        "    if not isinstance(thing, Public):  # pyright: ignore[reportUnnecessaryIsInstance]",
        "    if False:",
        "tests/kernel/test_wire.py::test_what_is_private_has_no_way_to_a_file",
    ),
    Mutant(
        "a release carries how it was solved",
        "mechanisms/plan.py",
        '        return "plan" if self.repeat is None else f"plan, repeated ({self.repeat.test})"',
        '        return f"plan (residual {self.residual}, cost {self.cost})"',
        "tests/kernel/test_release.py::test_a_release_has_the_same_keys_whatever_d_is",
    ),
    Mutant(
        "the status of the solver is in the message",
        "model/program.py",
        '        "the solver stopped without an answer that can be used.",\n'
        '        "an optimum within the tolerance and the time limit.",',
        '        f"the solver stopped early ({outcome.value}).",\n'
        '        "an optimum within the tolerance and the time limit.",',
        "tests/test_canaries.py::test_no_canary_comes_out",
    ),
    # The audit
    Mutant(
        "an audit tests its event on the releases that chose it",
        "assess/audit.py",
        "    tested = here.values[half:], there.values[half:]",
        "    tested = here.values[:half], there.values[:half]",
        "tests/assess/test_audit.py::test_what_only_the_choosing_half_shows_counts_for_nothing",
    ),
    Mutant(
        "an audit does not look at low bits",
        "assess/events.py",
        "        yield _low_bits(j, name, Y, Y_prime)\n",
        "",
        "tests/assess/test_audit.py::test_noise_in_floating_point_is_caught_by_its_low_bits",
    ),
    Mutant(
        "a decision keeps the data of the program it was made from",
        "mechanisms/measured/task.py",
        "if len(public) else program.without_data()",
        "if len(public) else program",
        "tests/mechanisms/measured/test_task.py::test_private_entries_are_taken_out_and_public_ones_stay",
    ),
    Mutant(
        "the exceptions of other libraries pass through with their texts",
        "discreet.py",
        "        except Exception as error:  # whatever it is, its text is not for everyone",
        "        except KeyError as error:",
        "tests/test_discreet.py::test_a_foreign_exception_leaves_nothing_but_a_private_traceback",
    ),
    *certificates.PLANTED,
    *data.PLANTED,
    *evidence.PLANTED,
    *files.PLANTED,
    *ledgers.PLANTED,
    *solving.PLANTED,
)
