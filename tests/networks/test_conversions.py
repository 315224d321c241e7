"""The conversions of MATPOWER's feeders are known; anything else that computes is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.networks.cases import branch, bus, gen, polynomial, write
from tests.networks.feeders import NAMES, sweep

import privopt as po
from privopt.errors import InputError
from privopt.networks.locate import find

# Published for the base case: MW, MVAr, least voltage and its bus, losses in kW (AC power flow).
PUBLISHED = {
    "case33bw": (3.715, 2.3, 0.9131, 18, 202.7),  # Baran and Wu
    "case69": (3.8021, 2.6947, 0.9092, 65, 225.0),
}
BUS = (
    "[PQ, PV, REF, NONE, BUS_I, BUS_TYPE, PD, QD, GS, BS, BUS_AREA, VM, ...\n    VA, BASE_KV, "
    "ZONE, VMAX, VMIN, LAM_P, LAM_Q, MU_VMAX, MU_VMIN] = idx_bus;\n"
)
KILOWATTS = "mpc.bus(:, [PD, QD]) = mpc.bus(:, [PD, QD]) / 1e3;\n"


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


def test_a_known_conversion_is_applied_and_what_is_assigned_beside_it_stays(tmp_path: Path) -> None:
    network = po.networks.load(small(tmp_path, f"{BUS}{KILOWATTS}mpc.note = 'a feeder';\n"))
    assert network.buses.demand[1] == pytest.approx(0.0005, rel=1e-12)
    assert network.branches.r[0] == 0.2


REFUSED = [
    KILOWATTS,
    f"{KILOWATTS}{BUS}",
    f"{BUS}{KILOWATTS}{KILOWATTS}",
    f"{BUS}if 0\n{KILOWATTS}end\n",
    f"if 0\n{BUS}{KILOWATTS}end\n",
    f"{BUS}return;\n{KILOWATTS}",
    f"{BUS}{KILOWATTS}mpc = scale_load(0.5, mpc);\n",
    f"{BUS}{KILOWATTS}mpc.branch(1, 3) = 5;\n",
    BUS + KILOWATTS.replace("1e3", "1e6"),
    BUS.replace("PD, QD", "QD, PD") + KILOWATTS,
    "mpc.branch(:, 3) = mpc.branch(:, 3) / 2;\n",
]


@pytest.mark.parametrize("below", REFUSED)
def test_what_computes_otherwise_is_refused(tmp_path: Path, below: str) -> None:
    with pytest.raises(InputError, match="computes its data from other data") as caught:
        po.networks.load(small(tmp_path, below))
    assert "savecase('small_plain.m', loadcase('small')), and use small_plain.m" in str(
        caught.value
    )


def test_ohms_at_no_voltage_give_no_network(tmp_path: Path) -> None:
    text = find("case33bw").read_text(encoding="utf-8").replace("12.66", "0")
    (tmp_path / "case.m").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="not finite|a voltage"):
        po.networks.load(tmp_path / "case.m")
