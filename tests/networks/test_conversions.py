"""Unit conversions of a case file are computed; anything else that computes is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.networks.cases import branch, bus, gen, polynomial, write
from tests.networks.feeders import NAMES, sweep

import privopt as po
from privopt.errors import InputError
from privopt.networks.conversions import NotConvertibleError, convert, split
from privopt.networks.locate import find

# Published for the base case: MW, MVAr, least voltage and its bus, losses in kW (AC power flow).
PUBLISHED = {
    "case33bw": (3.715, 2.3, 0.9131, 18, 202.7),  # Baran and Wu
    "case69": (3.8021, 2.6947, 0.9092, 65, 225.0),
}
BUS = "[PQ, PV, REF, NONE, BUS_I, BUS_TYPE, PD, QD, GS, BS, BUS_AREA, VM, VA, BASE_KV] = idx_bus;\n"
LINE = "[F_BUS, T_BUS, BR_R, BR_X, BR_B] = idx_brch;\n"


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_base_case(name: str) -> None:
    network = po.networks.load(name)
    active, reactive, least, at, losses = PUBLISHED[name]
    assert network.buses.demand.sum() * network.base_mva == pytest.approx(active, abs=1e-9)
    assert network.buses.reactive.sum() * network.base_mva == pytest.approx(reactive, abs=1e-9)
    voltage, bought = sweep(network)
    size = np.abs(voltage)
    assert (network.buses.number[size.argmin()], round(size.min(), 4)) == (at, least)
    lost = 1e3 * network.base_mva * (bought.real - network.buses.demand.sum())
    assert lost == pytest.approx(losses, abs=0.05)


@pytest.mark.parametrize("name", NAMES)
def test_each_table_against_its_rows_as_printed(name: str) -> None:
    """Ohms over V^2 / S, kW over 1000; case141 gives kVA at a power factor of 0.85."""
    text = find(name).read_text(encoding="utf-8")

    def printed(table: str) -> np.ndarray:
        body = text.partition(f"mpc.{table} = [")[2].partition("];")[0].partition("\n")[2]
        return np.array([line.split(";")[0].split() for line in body.splitlines() if line.strip()],
                        dtype=float)  # fmt: skip

    buses, lines, network = printed("bus"), printed("branch"), po.networks.load(name)
    lines = lines[lines[:, 10] > 0]
    ohms = buses[0, 9] ** 2 / network.base_mva
    assert network.branches.r == pytest.approx(lines[:, 2] / ohms, rel=1e-12)
    assert network.branches.x == pytest.approx(lines[:, 3] / ohms, rel=1e-12)
    P, Q = network.base_mva * network.buses.demand, network.base_mva * network.buses.reactive
    if name == "case141":
        assert np.hypot(P, Q) == pytest.approx(buses[:, 2] / 1e3, rel=1e-12)
        assert pytest.approx(0.85 * buses[:, 2] / 1e3, rel=1e-12) == P
    else:
        assert pytest.approx(buses[:, 2] / 1e3, rel=1e-12) == P
        assert pytest.approx(buses[:, 3] / 1e3, rel=1e-12) == Q


def small(folder: Path, below: str) -> Path:
    return write(
        folder / "small.m",
        [bus(1, 3), bus(2, 1, 50.0)],
        [gen(1, 200.0)],
        [branch(1, 2, 0.4, r=0.2)],
        [polynomial(0.0, 10.0, 0.0)],
        below,
    )


COMPUTED = {  # what stands below the tables, and the demand and resistance then
    BUS + "mpc.bus(:, [PD, QD]) = mpc.bus(:, [PD, QD]) / 1e3;\n": (0.0005, 0.2),
    BUS + "mpc.bus(:, PD) = mpc.bus(:, PD) / 2 * 4;\n": (1.0, 0.2),  # from left to right
    LINE + "k = 2;\nmpc.branch(:, BR_R) = mpc.branch(:, BR_X) / k^2;\n": (0.5, 0.1),
    "mpc.branch(:, 3) = mpc.branch(:, 3) * sin(acos(0.6));\n": (0.5, 0.16),
    BUS + LINE + "V = mpc.bus(1, BASE_KV) / 23;\nS = mpc.baseMVA;\n"
    "mpc.branch(:, [BR_R BR_X]) = mpc.branch(:, [BR_R BR_X]) / (V^2 / S);\n": (0.5, 0.2),
    BUS + "x = strcat('a', 'b');\nmpc.bus(:, PD) = mpc.bus(:, PD) * 3;\n": (1.5, 0.2),
}


@pytest.mark.parametrize("below", COMPUTED)
def test_columns_are_multiplied_as_matlab_would(tmp_path: Path, below: str) -> None:
    network = po.networks.load(small(tmp_path, below))
    demand, resistance = COMPUTED[below]
    assert network.buses.demand[1] == pytest.approx(demand, rel=1e-12)
    assert network.branches.r[0] == pytest.approx(resistance, rel=1e-12)


REFUSED = [
    "mpc.branch(1, 3) = mpc.branch(1, 3) / 2;\n",
    "mpc.branch(:, 3) = mpc.branch(:, 3) + 2;\n",
    "mpc.branch(:, 3) = mpc.branch(:, 3) / 2 + 1;\n",
    "mpc.branch(:, 3) = mpc.branch(:, 3) / mpc.branch(:, 4);\n",
    "mpc.branch(:, 3) = mpc.branch(:, 3) / unknown;\n",
    "k = rand;\nmpc.branch(:, 3) = mpc.branch(:, 3) / k;\n",
    "k = 2;\nk = rand;\nmpc.branch(:, 3) = mpc.branch(:, 3) / k;\n",
    "mpc.branch(:, [3 4]) = mpc.branch(:, 3) / 2;\n",
    "mpc.branch(:, 99) = mpc.branch(:, 99) / 2;\n",
    "mpc.branch(:, 2.5) = mpc.branch(:, 2.5) / 2;\n",
    "mpc.other(:, 3) = mpc.other(:, 3) / 2;\n",
    "if 0\nmpc.branch(:, 3) = mpc.branch(:, 3) / 2;\nend\n",
    "for k = 1:3\nmpc.branch(:, 3) = mpc.branch(:, 3) / 2;\nend\n",
    "mpc.branch(:, 3) = mpc.branch(:, 3) / 2;\nmpc = scale_load(0.5, mpc);\n",
    "mpc.branch(:, 3) = mpc.branch(:, 3) / 2;\nmpc.branch(1, 3) = 5;\n",
    "mpc.branch(:, 3) = mpc.branch(:, 3) * 2^3^2;\n",
    "mpc.branch(:, 3) = mpc.branch(:, 3) * acos(2);\n",
    "[PQ, PD] = idx_bus;\nmpc.bus(:, PD) = mpc.bus(:, PD) / 2;\n",
    "[A, B] = idx_other;\nmpc.bus(:, 3) = mpc.bus(:, 3) / 2;\n",
    "mpc.bus(:, 3) = mpc.bus(:, 3) * mpc.bus(9, 3);\n",
]


@pytest.mark.parametrize("below", REFUSED)
def test_what_computes_otherwise_is_refused(tmp_path: Path, below: str) -> None:
    with pytest.raises(InputError, match="computes its data from other data"):
        po.networks.load(small(tmp_path, below))


def test_a_division_by_nothing_gives_no_network(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not finite"):
        po.networks.load(small(tmp_path, "mpc.branch(:, 3) = mpc.branch(:, 3) / 0;\n"))


def test_files_without_conversions_are_left_alone() -> None:
    text = "mpc.bus = [\n1 2 3;\n];\nk = 4;\n"
    assert split(text) == (text, ())
    table = np.ones((2, 3))
    assert convert({"bus": table}, 1.0, ())["bus"] is not table
    with pytest.raises(NotConvertibleError):
        convert({"bus": table}, 1.0, ("end",))
