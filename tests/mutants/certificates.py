"""Planted bugs of certified sensitivities."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

__all__ = ["PLANTED"]

PLANTED: tuple[Mutant, ...] = (
    Mutant(
        "a pair leaves the domain where there is no room",
        "assess/pairs.py",
        "return Pair(u, j, step if u[j] + step <= upper else -step)",
        "return Pair(u, j, step)",
        "tests/assess/test_pairs.py::test_a_pair_goes_to_the_side_where_there_is_room",
    ),
    Mutant(
        "the half-width of a region is not widened by what rounding moves",
        "mechanisms/measured/belief.py",
        "* noise.scale) + instrument.rounding",
        "* noise.scale)",
        "tests/mechanisms/measured/test_belief.py::test_half_widths_hold_what_rounding_moves",
    ),
    Mutant(
        "measurements of two datasets are combined",
        "mechanisms/measured/belief.py",
        "if len(datasets) > 1:",
        "if len(datasets) > 2:",
        "tests/mechanisms/measured/test_bad_decisions.py"
        "::test_measurements_of_two_datasets_do_not_combine",
    ),
    Mutant(
        "several measurements have each the whole eta",
        "mechanisms/measured/belief.py",
        "math.log1p(-feasibility.eta / count)",
        "math.log1p(-feasibility.eta)",
        "tests/mechanisms/measured/test_deciding.py::test_eta_is_shared_by_several_measurements",
    ),
    Mutant(
        "the rows of a measurement have each the whole eta",
        "mechanisms/measured/belief.py",
        "math.log1p(-feasibility.eta / count) / r",
        "math.log1p(-feasibility.eta / count)",
        "tests/mechanisms/measured/test_belief.py::test_the_data_are_left_out_no_more_often_than_eta",
    ),
    Mutant(
        "a decision reads the private entries of d",
        "mechanisms/measured/task.py",
        "    d[public] = program.d[public]\n",
        "    d[:] = program.d\n",
        "tests/mechanisms/measured/test_deciding.py::test_the_same_bytes_and_iterations_whatever_d_is",
    ),
    Mutant(
        "draws for the objective are not cut to the region",
        "mechanisms/measured/deciding.py",
        "DRAWS), rng, within=region)",
        "DRAWS), rng)",
        "tests/mechanisms/measured/test_deciding.py::test_the_values_are_the_optimum_of_the_plain_model",
    ),
    Mutant(
        "multipliers of slabs are left out of a certificate",
        "mechanisms/measured/certifying.py",
        "z0, K, m, polygons)",
        "z0, K, 0 * m, polygons)",
        "tests/mechanisms/measured/test_deciding.py::test_the_values_are_the_optimum_of_the_plain_model",
    ),
    Mutant(
        "a certificate over less than the measurement leaves is loaded",
        "mechanisms/measured/decision.py",
        "if not belief.covered_by(certificate.region, promise):",
        "if False:",
        "tests/mechanisms/measured/test_decision.py::test_a_certificate_over_less_is_refused",
    ),
    Mutant(
        "the claims of a decision are those of its file",
        "mechanisms/measured/decision.py",
        "guarantee=made.stated(),",
        'guarantee=Guarantee.from_dict(data["guarantee"]),',
        "tests/mechanisms/measured/test_decision.py::test_a_file_has_no_words_of_its_own_for_claims",
    ),
    Mutant(
        "a measurement that is told twice counts twice",
        "mechanisms/measured/belief.py",
        "several = tuple({one.digest: one for one in several}.values())",
        "several = tuple(several)",
        "tests/mechanisms/measured/test_deciding.py::test_a_measurement_that_is_told_twice_is_known_once",
    ),
    Mutant(
        "slabs that pinned ones imply are left to the solver",
        "solving/robust/reduced.py",
        "if size <= _THIN * float(np.linalg.norm(W[k])):",
        "if size < 0:",
        "tests/solving/robust/test_reduced.py::test_what_does_not_count_is_gone",
    ),
    Mutant(
        "what would do is tried over what is possible anyway",
        "mechanisms/measured/undecided.py",
        "known.region(kept)",
        "belief.region(feasibility)",
        "tests/mechanisms/measured/test_undecided.py"
        "::test_the_eta_that_is_named_does_and_hardly_less_would",
    ),
    Mutant(
        "a fallback is not taken where the solver stalls",
        "mechanisms/measured/deciding.py",
        "    if fallback is not None:\n        return _decision(",
        "    if fallback is not None and found is Outcome.INFEASIBLE:\n        return _decision(",
        "tests/mechanisms/measured/test_deciding.py"
        "::test_a_fallback_is_taken_however_the_solver_ends",
    ),
    Mutant(
        "parts of the data are drawn as if slabs connected nothing",
        "mechanisms/measured/posterior.py",
        "np.vstack([where.W, *(one.W for one in evidence)]) != 0",
        "np.vstack([0 * where.W, *(one.W for one in evidence)]) != 0",
        "tests/mechanisms/measured/test_posterior.py"
        "::test_parts_that_only_a_slab_connects_are_drawn_together",
    ),
    Mutant(
        "a bound on the distance forgets how far the answers lie from their mean",
        "mechanisms/measured/nearness.py",
        "fidelity.distance**2 - spread**2",
        "fidelity.distance**2",
        "tests/mechanisms/measured/test_nearness.py"
        "::test_the_distance_that_is_named_is_the_least_and_does_as_it_is_printed",
    ),
    Mutant(
        "a crossing of the curve is read off the distance, not its square",
        "claims/curve.py",
        'return value**2 if name == "distance" else value',
        "return value",
        "tests/claims/test_curve.py::test_points_of_the_law_itself_are_read_exactly",
    ),
    Mutant(
        "entries of general sums are not moved against each other",
        "mechanisms/measured/chains.py",
        "if self._apart and len(sums := self._sums):",
        "if False and len(sums := self._sums):",
        "tests/mechanisms/measured/test_posterior.py"
        "::test_precise_general_sums_reach_all_that_they_leave",
    ),
    Mutant(
        "a slab of a region may end too early",
        "solving/robust/covering.py",
        "or Fraction(float(region.high[i])) < most:",
        "or Fraction(float(region.high[i])) < least:",
        "tests/solving/robust/test_covering.py",
    ),
)
