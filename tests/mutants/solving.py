"""Planted bugs of solving."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

__all__ = ["PLANTED"]

_CONSTANT = "tests/model/test_excess.py::"

PLANTED: tuple[Mutant, ...] = (
    Mutant(
        "each conic program of a solve has the whole time limit",
        "solving/solver.py",
        "        return None if self.time_limit is None else self.clock.left",
        "        return self.time_limit",
        "tests/mechanisms/test_planning.py::test_a_time_limit_holds_for_the_whole_solve",
    ),
    Mutant(
        "advice depends on how busy the machine is",
        "mechanisms/advice.py",
        "_MOST), time.process_time)",
        "_MOST), time.monotonic)",
        "tests/mechanisms/test_advice.py::test_a_busy_machine_changes_no_advice",
    ),
    Mutant(
        "a share of the time is all of it",
        "solving/clock.py",
        "self.left / parts)",
        "self.left)",
        "tests/solving/test_clock.py::test_equal_shares_of_what_is_left",
    ),
    Mutant(
        "the cost is scaled by its largest price again",
        "solving/scaling.py",
        "        return replace(self._at(program, np.minimum(size, most), cost), own=True)",
        "        return replace(self._at(program, size), own=True)",
        "tests/solving/test_accuracy.py::test_a_price_nobody_pays_costs_no_digits",
    ),
    Mutant(
        "a row in large units makes the others rounding",
        "solving/response.py",
        "    unit = T / size / size[:, None]",
        "    size = np.full(len(T), float(np.sqrt(diagonal.max())))\n"
        "    unit = T / size / size[:, None]",
        "tests/solving/test_accuracy.py::test_a_root_has_rows_in_units_of_their_own",
    ),
    Mutant(
        "a gap is what the multipliers leave of the gradient alone",
        "solving/problem.py",
        "        return abs(between) + float(np.abs(left) @ np.abs(self.x))",
        "        return float(np.abs(left) @ np.abs(self.x))",
        "tests/solving/test_accuracy.py::test_the_gap_is_what_the_cost_is_above_the_least",
    ),
    Mutant(
        "units of released values decide whether a recourse exists",
        "solving/particular.py",
        "(np.abs(block).max(axis=0, initial=0.0) / unit).max(initial=0.0)",
        "np.abs(block).max(initial=0.0)",
        "tests/solving/test_accuracy.py::test_released_values_in_any_units",
    ),
    Mutant(
        "equalities that follow from others are all kept",
        "solving/rank.py",
        "RANK = 1e-11",
        "RANK = 1e-30",
        "tests/solving/test_rank.py::test_nearly_is_not_dependent",
    ),
    Mutant(
        "rounding divided by its own size is a condition on the recourse",
        "solving/space.py",
        "        kept = size > _MOVES * added\n",
        "        kept = size > 0\n",
        "tests/solving/test_space.py::test_an_equality_that_follows_is_no_further_condition",
    ),
    Mutant(
        "a matrix goes to SuperLU without its whole diagonal",
        "solving/factor.py",
        "    if not len(missing):",
        "    if len(missing) >= 0:",
        "tests/solving/test_factor.py::test_exactly_singular_matrices_are_an_error",
    ),
    Mutant(
        "rounding of a cost is a cost",
        "solving/gain_space.py",
        "    if not costs:\n"
        "        return basis, _tiny(np.zeros((n - rank, n - rank)))\n"
        "    least = _FLAT * float(np.diag(curve).max())\n"
        "    flat = 0.0 if eigen[0] > _FLAT * eigen[-1] else max(least, -2.0 * float(eigen[0]))\n",
        "    flat = 0.0 if eigen[0] > _FLAT * eigen[-1] else _FLAT * float(np.diag(curve).max())\n",
        "tests/test_flat_designs.py::test_a_cost_of_released_values_alone",
    ),
    Mutant(
        "a loss is relative to the rounding of an optimum that costs nothing",
        "model/excess.py",
        "    return abs(optimal) if abs(optimal) > _NOTHING * size else size",
        "    return abs(optimal) or 1.0",
        "tests/test_flat_designs.py::test_the_loss_is_a_fraction_of_what_the_cost_is_made_of",
    ),
    Mutant(
        "multiples of a row that round differently are different directions",
        "solving/directions.py",
        "_SAME = 64 * 2.0**-52",
        "_SAME = 0 * 2.0**-52",
        "tests/solving/test_directions.py",
    ),
    Mutant(
        "rows along an equality stay inequalities",
        "solving/program.py",
        "np.concatenate([*self._tied, self._settled])",
        "np.concatenate(self._tied[:2])",
        "tests/test_units.py::test_a_variable_held_twice_by_opposite_rows_is_a_fixed_one",
    ),
    Mutant(
        "a ten-millionth of a row is rounding",
        "solving/scaling.py",
        "TOLERANCE = 1e-8 ",
        "TOLERANCE = 1e-7 ",
        "tests/feasibility/test_joint.py::test_noise_of_a_ten_millionth_of_a_row_counts",
    ),
    Mutant(
        "what HiGHS prints reaches standard output",
        "solving/quiet.py",
        "        os.dup2(2, 1)\n",
        "        os.dup2(1, 1)\n",
        "tests/solving/test_highs.py::test_nothing_it_prints_reaches_standard_output",
    ),
    Mutant(
        "lower bounds of edges are not read",
        "adapters/networkx.py",
        "lower=_numbers(attributes, lower, 0.0)",
        "lower=0.0",
        "tests/adapters/test_networkx.py::test_lower_bounds_of_edges_hold",
    ),
    Mutant(
        "what balances a change of d does not follow it",
        "mechanisms/private_data.py",
        "F, start = F - unit @ share[:, :q], start",
        "F, start = F - 0.999 * unit @ share[:, :q], start",
        "tests/mechanisms/test_designing.py::test_demands_that_balance",
    ),
    Mutant(
        "sizes of variables depend on units",
        "solving/equilibration.py",
        "    return columns * _ruiz(scaled(M, columns, rows))",
        "    return _ruiz(M)",
        "tests/solving/test_scaling.py::test_sizes_of_sparse_columns_follow_units",
    ),
    Mutant(
        "the query does not tell the size of a variable",
        "solving/particular.py",
        "column_sizes(program.rows.matrix, program.equalities.matrix, S)",
        "column_sizes(program.rows.matrix, program.equalities.matrix)",
        "tests/solving/test_particular.py",
    ),
    Mutant(
        "a shortage bears the noise whatever its price",
        "solving/particular.py",
        "_TINY * np.square(own) if largest",
        "np.full(program.n, _TINY) if largest",
        "tests/solving/test_particular.py",
    ),
    Mutant(
        "a released value in other units is another row",
        "solving/chance.py",
        "query = scaled(S, scaling.columns, 1 / largest_of_rows(S, scaling.columns))",
        "query = scaled(S, scaling.columns)",
        "tests/differential/test_differential.py::test_some_plans",
    ),
    Mutant(
        "noise is no part of the size of a variable",
        "solving/scaling.py",
        "np.where(np.abs(z) > SMALL * moved, np.abs(z), moved), spread)",
        "np.where(np.abs(z) > SMALL * moved, np.abs(z), moved), 0.0)",
        "tests/differential/test_differential.py::test_some_plans",
    ),
    Mutant(
        "a variable that only inequalities tie has any size",
        "solving/scaling.py",
        "share = np.where(np.isfinite(share), share, _share(A.matrix, limit))",
        "share = np.where(np.isfinite(share), share, np.inf)",
        "tests/differential/test_differential.py::test_some_plans",
    ),
    Mutant(
        "a certificate that there is no plan is not believed",
        "solving/chance.py",
        "sure=margins.norm is None and margins.draws is None,",
        "sure=False,",
        "tests/mechanisms/test_planning.py::test_hardly_infeasible_is_infeasible",
    ),
    Mutant(
        "that there is no solution is believed in one scaling",
        "solving/noisy.py",
        "found is Outcome.TIME or units is self._first",
        "found is not None",
        "tests/mechanisms/test_planning.py::test_that_there_is_no_plan_is_seen_in_two_units",
    ),
    Mutant(
        "an optimum is lost where finer units do not suit it",
        "solving/deterministic.py",
        "        if isinstance(found, Outcome):  # units that do not suit it after all\n"
        "            break\n",
        "        if isinstance(found, Outcome):\n            return found\n",
        "tests/mechanisms/test_plan.py",
    ),
    Mutant(
        "a cost forgets its constant",
        "model/program.py",
        "return self.constant + float(",
        "return float(",
        _CONSTANT + "test_a_cost_with_a_constant_is_that_of_plain_cvxpy",
    ),
    Mutant(
        "what costs are made of leaves out their constant",
        "model/excess.py",
        "    size += abs(program.constant)\n",
        "",
        _CONSTANT + "test_where_the_constant_is_all_of_the_optimal_cost_it_is_the_scale",
    ),
    Mutant(
        "a key is for one constant of the cost",
        "mechanisms/requests.py",
        'described.pop("constant", None)',
        "pass",
        _CONSTANT + "test_a_key_stands_for_the_same_plan_whatever_the_constant",
    ),
    Mutant(
        "a network's fixed cost is no part of its cost",
        "networks/dc.py",
        "        constant=network.fixed_cost,\n",
        "",
        _CONSTANT + "test_a_networks_fixed_cost_is_the_constant_of_its_program",
    ),
    Mutant(
        "a remedy is looked for no nearer than twice as far as the edge",
        "mechanisms/remedies.py",
        "max(good / bad, bad / good) > self.near",
        "max(good / bad, bad / good) > 2.0",
        "tests/mechanisms/test_remedies.py::test_it_ends_at_the_edge",
    ),
    Mutant(
        "a setting that was never solved is ruled out",
        "mechanisms/remedies.py",
        "elif made is Outcome.INFEASIBLE and value",
        "elif value",
        "tests/mechanisms/test_remedies.py::test_what_is_not_solved_is_not_ruled_out",
    ),
    Mutant(
        "of several places of a domain the best counts",
        "mechanisms/verify.py",
        "Estimate.of(max(broken.values(), default=0), samples)",
        "Estimate.of(min(broken.values(), default=0), samples)",
        "tests/mechanisms/test_verify.py::test_the_loop_counts_every_draw_once_and_takes_the_worst_place",
    ),
    Mutant(
        "a question with other noise keeps the noise it had",
        "mechanisms/question.py",
        '_SHARED = ("S", "names", "still", "bound")',
        '_SHARED = ("S", "names", "still", "bound", "calibration")',
        "tests/mechanisms/test_question.py::test_questions_that_differ_elsewhere_share_what_the_query_says",
    ),
)
