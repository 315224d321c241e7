"""Pandapower nets for the tests, the cost that pandapower itself finds, and their stored tables.

`python -m tests.networks.nets`, in the environment of `make pandapower`, stores the tables anew.
"""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import pandapower as pp  # pyright: ignore[reportMissingModuleSource]
import pandapower.networks as grids  # pyright: ignore[reportMissingModuleSource]

from privopt.networks.pandapower import read_net
from privopt.networks.tables import Tables

DATA = Path(__file__).parent / "data" / "pandapower.json"
TOLERANCES = ("PDIPM_FEASTOL", "PDIPM_GRADTOL", "PDIPM_COMPTOL", "PDIPM_COSTTOL")


def rundcopp(net: Any) -> float:
    """Pandapower's own cost, its solver's tolerances a thousandth of the usual or less."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pp.rundcopp(net, PDIPM_MAX_IT=500, **dict.fromkeys(TOLERANCES, 1e-9))
    return float(net.res_cost)


def grid(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(grids, name)()


def simple() -> Any:
    """Fused buses, an open line switch, a transformer, a generator dearer than the grid."""
    net = grid("example_simple")
    net.gen[["min_p_mw", "max_p_mw"]] = [2.0, 8.0]
    net.load["p_mw"] = 12.0
    net.line["max_loading_percent"] = 90.0
    net.trafo["max_loading_percent"] = 10.0
    pp.create_poly_cost(net, 0, "ext_grid", cp1_eur_per_mw=10.0, cp0_eur=3.0)
    pp.create_poly_cost(net, 0, "gen", cp1_eur_per_mw=12.0, cp2_eur_per_mw2=0.5)
    return net


def multivoltage() -> Any:
    """A three-winding transformer, wards, an impedance, many switches; 380 kV to 0.4 kV."""
    net = grid("example_multivoltage")
    net.gen[["min_p_mw", "max_p_mw"]] = [20.0, 120.0]
    net.sgen["controllable"] = False
    net.sgen.loc[net.sgen.index[:3], "controllable"] = True
    net.sgen["min_p_mw"], net.sgen["max_p_mw"] = 0.0, net.sgen.p_mw
    net.line["max_loading_percent"] = 60.0
    pp.create_poly_cost(net, 0, "ext_grid", cp1_eur_per_mw=30.0)
    pp.create_poly_cost(net, 0, "gen", cp1_eur_per_mw=25.0, cp2_eur_per_mw2=0.1, cp0_eur=7.0)
    for k in net.sgen.index[:3]:
        pp.create_poly_cost(net, k, "sgen", cp1_eur_per_mw=28.0 + k, cp2_eur_per_mw2=0.2)
    return net


def mixed() -> Any:
    """All that can be decided, at linear and piecewise-linear cost, and all kinds of branches."""
    net = pp.create_empty_network(name="mixed", sn_mva=10.0)
    buses = [pp.create_bus(net, 110.0, index=k) for k in (3, 5, 8, 13, 21, 34, 55)]
    lines = [(3, 5), (5, 8), (8, 3), (8, 13), (21, 13), (34, 8), (21, 34), (34, 13)]
    for k, (source, target) in enumerate(lines):
        pp.create_line_from_parameters(
            net, source, target, 10.0 + k, 0.06, 0.4, 9.0, 0.4, max_loading_percent=80.0 - 5 * k
        )
    net.line.loc[7, "in_service"] = False
    pp.create_transformer_from_parameters(
        net, 5, 13, 60.0, 110.0, 110.0, 0.3, 11.0, 30.0, 0.1, shift_degree=3.0,
        tap_side="hv", tap_neutral=0, tap_min=-5, tap_max=5, tap_step_percent=1.5, tap_pos=2,
        tap_changer_type="Ratio", max_loading_percent=70.0,
    )  # fmt: skip
    pp.create_switch(net, 34, 5, "l", closed=False)
    pp.create_switch(net, 34, 55, "b", closed=True, z_ohm=2.0)
    pp.create_switch(net, 34, 21, "b", closed=False)
    pp.create_ext_grid(net, 3, va_degree=10.0, min_p_mw=-20.0, max_p_mw=200.0)
    pp.create_gen(net, 8, 20.0, min_p_mw=5.0, max_p_mw=60.0, controllable=True)
    pp.create_gen(net, 13, 12.5, min_p_mw=0.0, max_p_mw=60.0, controllable=False)
    pp.create_sgen(net, 21, 9.0, scaling=0.9, controllable=False)
    pp.create_sgen(net, 21, 9.0, min_p_mw=0.0, max_p_mw=15.0, controllable=True)
    pp.create_storage(net, 55, 4.0, 10.0, controllable=False)
    pp.create_storage(net, 55, 4.0, 10.0, min_p_mw=-6.0, max_p_mw=6.0, controllable=True)
    pp.create_load(net, 5, 8.0, min_p_mw=2.0, max_p_mw=25.0, controllable=True)
    pp.create_shunt(net, 13, q_mvar=1.0, p_mw=0.7)
    pp.create_ward(net, 21, 1.1, 0.0, 0.4, 0.0)
    for bus, p in zip(buses, (11.0, 23.0, 31.0, 17.0, 28.0, 7.0, 5.0), strict=True):
        pp.create_load(net, bus, p, scaling=1.1)
    pp.create_pwl_cost(net, 0, "ext_grid", [[-20, 40, 20], [40, 90, 26], [90, 200, 33]])
    pp.create_poly_cost(net, 0, "gen", cp1_eur_per_mw=24.0)
    pp.create_poly_cost(net, 1, "gen", cp1_eur_per_mw=15.0)
    pp.create_pwl_cost(net, 1, "sgen", [[0, 5, 10], [5, 15, 27]])
    pp.create_poly_cost(net, 1, "storage", cp1_eur_per_mw=-25.0)
    pp.create_poly_cost(net, 0, "load", cp1_eur_per_mw=-27.0)
    return net


def one_bus(price: float = 10.0) -> Any:
    """A grid at a price, and nothing else."""
    net = pp.create_empty_network()
    pp.create_bus(net, 110.0)
    pp.create_ext_grid(net, 0)
    pp.create_poly_cost(net, 0, "ext_grid", cp1_eur_per_mw=price)
    return net


def triangle(limit: float = 50.0) -> Any:
    """Three equal lines; 90 MW at bus 2, cheap power at 0, dear power at 1, 0-2 limited."""
    net = pp.create_empty_network(sn_mva=100.0)
    for _ in range(3):
        pp.create_bus(net, 110.0)
    for source, target in ((0, 1), (1, 2), (0, 2)):
        pp.create_line_from_parameters(net, source, target, 50.0, 0.06, 0.4, 9.0, 1.0)
    net.line["max_loading_percent"] = [math.nan, math.nan, 50.0]
    net.line["max_i_ka"] = 2.0 * limit / (math.sqrt(3) * 110.0)
    pp.create_ext_grid(net, 0)
    pp.create_gen(net, 1, 0.0, min_p_mw=0.0, max_p_mw=200.0)
    pp.create_load(net, 2, 90.0)
    pp.create_poly_cost(net, 0, "ext_grid", cp1_eur_per_mw=10.0)
    pp.create_poly_cost(net, 0, "gen", cp1_eur_per_mw=20.0)
    return net


BUILT = {"simple": simple, "multivoltage": multivoltage, "mixed": mixed}
STORED = ("multivoltage", "mixed")


def as_json(tables: Tables) -> dict[str, Any]:
    """The tables as lists; infinite numbers as words, which JSON can hold."""

    def plain(values: Any) -> Any:
        if isinstance(values, list):
            return [plain(value) for value in values]
        return values if math.isfinite(values) else str(values)

    parts = {name: getattr(tables, name) for name in ("bus", "gen", "branch")}
    return {
        "base_mva": tables.base_mva,
        **{
            name: {column: plain(values.tolist()) for column, values in part.items()}
            for name, part in parts.items()
        },
        "gencost": plain(tables.gencost.tolist()),
        "units": list(tables.units or ()),
    }


if __name__ == "__main__":
    found = {
        name: {"cost": rundcopp(BUILT[name]()), "tables": as_json(read_net(BUILT[name]()))}
        for name in STORED
    }
    text = json.dumps({"pandapower": pp.__version__, "nets": found})
    DATA.write_text(text + "\n", encoding="utf-8")
