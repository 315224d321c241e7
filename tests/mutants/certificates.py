"""Planted bugs of certified sensitivities."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

__all__ = ["PLANTED"]

PLANTED: tuple[Mutant, ...] = (
    Mutant(
        "a certified plan does not clamp d to the domain",
        "solving/solution_map.py",
        "min(max(Fraction(value), ends[0]), ends[1]) - (ends[0] + ends[1]) / 2",
        "Fraction(value) - (ends[0] + ends[1]) / 2",
        "tests/assess/test_exact_map.py"
        "::test_an_answer_comes_on_borders_at_corners_and_outside_of_the_domain",
    ),
    Mutant(
        "a certificate is not checked against its digest",
        "mechanisms/certified.py",
        "if self.map is None or self.digest != self._digest():",
        "if self.map is None:",
        "tests/mechanisms/test_certified.py::test_a_changed_certificate_is_refused",
    ),
    Mutant(
        "rows that enter are not crossed into",
        "assess/regions.py",
        "self.add(rows ^ frozenset(some))",
        "self.add(rows - frozenset(some))",
        "tests/assess/test_regions.py::test_independent_parts_multiply",
    ),
    Mutant(
        "a bound from duals forgets what they leave over",
        "assess/polytope.py",
        "found = float(y @ c + y @ doubt + np.abs(rest).sum())",
        "found = float(y @ c + y @ doubt)",
        "tests/assess/test_polytope.py::test_no_point_of_the_polytope_is_above",
    ),
    Mutant(
        "steep pieces are taken for half as long as they are",
        "assess/moves.py",
        "part = min(left, longest(pieces[k], j))",
        "part = min(left, 0.5 * longest(pieces[k], j))",
        "tests/assess/test_moves.py::test_steep_pieces_first",
    ),
    Mutant(
        "a certified plan solves the program first, and refuses where that fails",
        "mechanisms/certified.py",
        "    u = program.d[program.private]  # no",
        "    program.solve()\n    u = program.d[program.private]  # no",
        "tests/assess/test_exact_map.py::test_nothing_is_solved_before_an_answer_comes",
    ),
    Mutant(
        "a certificate refuses d whose balancing entries do not follow",
        "mechanisms/certified.py",
        "    point = exact.at(u[data.moving])\n",
        "    if abs(data.target(u)[: len(program.d)] - program.d).max() > 1e-3:\n"
        "        raise _other('program')\n"
        "    point = exact.at(u[data.moving])\n",
        "tests/mechanisms/test_certified.py::test_no_d_is_refused_for_what_should_balance_it",
    ),
    Mutant(
        "a bound that is no number is one",
        "assess/polytope.py",
        "return math.inf if math.isnan(bound) else bound",
        "return bound",
        "tests/assess/test_polytope.py::test_what_is_no_number_bounds_nothing",
    ),
    Mutant(
        "a facet without a bound is not crossed",
        "assess/regions.py",
        "if not c[k] - doubt[k] - ceiling(-g[k], g, c, doubt, y) > 0:",
        "if c[k] - doubt[k] - ceiling(-g[k], g, c, doubt, y) <= 0:",
        "tests/assess/test_polytope.py::test_where_no_bound_comes_nothing_is_left_out",
    ),
    Mutant(
        "a piece without a bound has no length",
        "assess/polytope.py",
        "return max(0.0, length) if length < 2.0 else 2.0",
        "return min(2.0, max(0.0, length))",
        "tests/assess/test_polytope.py::test_where_no_bound_comes_nothing_is_left_out",
    ),
    Mutant(
        "a condition that is no number is proven",
        "assess/polytope.py",
        "row = np.flatnonzero(~(piece.c - reach - piece.doubt > 0))",
        "row = np.flatnonzero(piece.c - reach - piece.doubt <= 0)",
        "tests/assess/test_polytope.py::test_conditions_that_are_no_numbers_count",
    ),
    Mutant(
        "the law of a piece is believed as floats give it",
        "assess/pieces.py",
        "            if np.abs(left).max() <= good:\n                break\n",
        "            if law.any() or np.abs(left).max() <= good:\n                break\n",
        "tests/assess/test_pieces.py::test_enclosures_hold_the_law",
    ),
    Mutant(
        "margins are raised by less than rows may give way",
        "assess/factor.py",
        "uniform(_ROOM, 1.0, len(size)), _ROOM * more",
        "uniform(0.0, _ROOM, len(size)), _ROOM * more",
        "tests/assess/test_factor.py::test_margins_are_those_of_the_noise_and_a_little_more",
    ),
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
        "if not certificate.of(program) or not belief.covered_by(certificate.region, promise):",
        "if not certificate.of(program):",
        "tests/mechanisms/measured/test_decision.py::test_a_certificate_over_less_is_refused",
    ),
    Mutant(
        "the claims of a decision are those of its file",
        "mechanisms/measured/decision.py",
        "guarantee=made,",
        'guarantee=Guarantee.from_dict(data["guarantee"]),',
        "tests/mechanisms/measured/test_decision.py::test_claims_are_made_from_numbers",
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
