"""Networks from pandapower nets, converted by pandapower itself as for its `rundcopp`.

    bus      buses that closed switches without impedance join are one, with their smallest index;
             star points of transformers, open ends of lines and inner buses of extended wards are
             numbered on from the largest index
    demand   loads, motors, wards and storages, less static generators: all whose power is fixed
    units    external grids and generators, then static generators, loads and storages that are
             `controllable`, these with their power counted as generated
    lines    lines, transformers (taps, phase shifts), impedances, switches with impedance; the
             limit is `max_loading_percent` of the rating, none where it is not given

Demands are private, and everything else is public: the limits of a controllable load too. A limit
of power that is not given, or of 1e9 MW, is none. Reactive power and voltages play no part, and the
conventions of feeders refuse such a network.
"""

from __future__ import annotations

import copy
import importlib
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privopt.arrays import Dense
from privopt.errors import Action, Clause, InputError
from privopt.extra import library
from privopt.networks.geodata import geodata
from privopt.networks.network import Network
from privopt.networks.pandapower_costs import Unit, read_pandapower_costs
from privopt.networks.tables import Tables, build, columns

__all__ = ["from_pandapower", "read_net"]

_REFUSED = ("dcline", "tcsc", "vsc", "vsc_stacked", "vsc_bipolar", "b2b_vsc", "bus_dc", "line_dc",
            "load_dc", "source_dc", "asymmetric_load", "asymmetric_sgen")  # fmt: skip
_AT_A_BUS = ("ext_grid", "gen", "sgen", "load", "storage", "motor", "ward", "xward", "shunt")
_UNLIMITED = 1e9  # MW, pandapower's limit where none is given
_NUMBER, _FROM, _TO, _RATE, _HIGH, _LOW = 0, 0, 1, 5, 8, 9  # columns, as MATPOWER has them


def from_pandapower(net: Any) -> Network:  # noqa: ANN401
    """A pandapower net as a network, for the DC optimal power flow that `pp.rundcopp` solves.

    `network.program("matpower")` is that program: `demand[bus]` and `p[bus]` are numbered by
    pandapower's bus index (of buses that switches join, the smallest), powers are per unit of
    `net.sn_mva`. The module says what becomes what.

    Parameters
    ----------
    net
        A `pandapowerNet` with costs. It is not changed. DC lines and other DC parts, TCSC, loads
        with phases of their own, costs of elements whose power is fixed, and buses in service that
        no external grid supplies are refused.
    """
    name = getattr(net, "name", "") or "pandapower"
    network = build(str(name), read_net(net), _refused)
    return replace(network, coordinates=geodata(net, network))


def read_net(net: Any) -> Tables:  # noqa: ANN401
    """The tables of a pandapower net, its buses numbered by their indices."""
    pandapower = library("pandapower")
    if not isinstance(net, pandapower.pandapowerNet):
        raise InputError(
            f"net is {type(net).__name__}.",
            "a pandapower net.",
            "pass for example pandapower.networks.case14().",
        )
    _check_elements(net)
    plain = copy.deepcopy(net)
    case = _converted(pandapower, plain)
    bus, gen, branch = _matrix(case, "bus"), _matrix(case, "gen"), _matrix(case, "branch")
    units = _units(plain)
    kept = [k for k, (table, _) in enumerate(units) if table != "xward"]  # their power is zero
    units, gen = [units[k] for k in kept], gen[kept]
    number = _numbers(plain, len(bus))
    bus[:, _NUMBER] = number
    gen[:, _NUMBER] = number[gen[:, _NUMBER].astype(int)]
    for end in (_FROM, _TO):
        branch[:, end] = number[branch[:, end].astype(int)]
    branch[:, _RATE] = np.nan_to_num(branch[:, _RATE], posinf=np.inf)
    for limit in (_LOW, _HIGH):
        given = np.round(gen[:, limit], 9) + 0.0  # pandapower widens it by 1e-10
        gen[:, limit] = np.where(np.abs(given) < _UNLIMITED, given, np.copysign(np.inf, given))
    return Tables(
        float(case["baseMVA"]),
        columns("bus", bus[np.argsort(number)], _refused, feeder=False),
        columns("gen", gen, _refused, feeder=False),
        columns("branch", branch, _refused, feeder=False),
        read_pandapower_costs(net, units),
        units=[f"{table} {index}" for table, index in units],
    )


def _refused(why: str) -> InputError:
    return InputError(
        f"the pandapower net cannot be used: {why}.",
        "a net whose conversion by pandapower (mpc) is a DC optimal power flow.",
        "correct the net; pandapower.diagnostic(net) helps to find what is wrong.",
    )


def _check_elements(net: Any) -> None:  # noqa: ANN401
    """Refuse what the conversion would leave out."""
    for table in _REFUSED:
        rows = net.get(table)
        if rows is not None and len(rows) and rows.in_service.any():
            raise InputError(
                f"{table} {rows.index[rows.in_service.astype(bool)][0]} is in service.",
                "buses, AC lines, transformers, balanced loads, generators and storages.",
                "set in_service to False, and put its power into loads at its buses.",
            )
    apart = net.impedance.in_service.astype(bool) & (net.impedance.xft_pu != net.impedance.xtf_pu)
    if apart.any():
        raise InputError(
            f"impedance {net.impedance.index[apart][0]} has xft_pu other than xtf_pu.",
            "one reactance: a DC flow is the same in both directions.",
            "set both to the same number.",
        )
    slack = net.gen.slack.astype(bool) & net.gen.in_service.astype(bool)
    if not (net.ext_grid.in_service.any() or slack.any()):
        raise InputError(
            "no external grid is in service.",
            "an external grid, or a generator with slack=True, in each part of the net.",
            "add one with pandapower.create_ext_grid.",
        )


def _converted(pandapower: Any, plain: Any) -> Any:  # noqa: ANN401
    """The net as pandapower's own optimal power flow sees it; `plain` is a copy to work on.

    Limits of reactive power may be missing, voltages are left out, and costs are read elsewhere:
    one of zero keeps pandapower from saying that there are none.
    """
    for table in ("gen", "sgen", "load", "storage"):
        for column in ("min_p_mw", "max_p_mw", "min_q_mvar", "max_q_mvar"):
            if column not in plain[table]:
                plain[table][column] = np.nan
    for table in ("bus", "gen", "ext_grid"):
        plain[table] = plain[table].drop(columns=["min_vm_pu", "max_vm_pu"], errors="ignore")
    plain.poly_cost, plain.pwl_cost = plain.poly_cost.iloc[:0], plain.pwl_cost.iloc[:0]
    pandapower.create_poly_cost(plain, 0, "ext_grid", cp1_eur_per_mw=0.0, check=False)
    to_ppc = importlib.import_module("pandapower.converter.pypower.to_ppc").to_ppc
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return to_ppc(plain, mode="opf", init="flat", switch_rx_ratio=0.5)  # as in rundcopp
    except Exception as error:
        raise InputError(
            "pandapower cannot convert the net.",
            "a net that pandapower.rundcopp takes.",
            (
                "run pandapower.diagnostic(net), and correct what it finds",
                Clause(Action.REVEAL, "has its words."),
            ),
            private=f"{type(error).__name__}: {error}",
        ) from None


def _matrix(case: Any, name: str) -> Dense:  # noqa: ANN401
    return np.real(case[name]).astype(float)


def _units(plain: Any) -> list[Unit]:  # noqa: ANN401
    """Which element each generator of the conversion is."""
    units: list[Unit] = []
    for order in sorted(plain["_gen_order"].items(), key=lambda item: item[1]):
        table = order[0].removesuffix("_controllable")
        on = plain["_is_elements"][order[0]]
        units += [(table, int(index)) for index in plain[table].index[on]]
    return units


def _numbers(plain: Any, count: int) -> NDArray[np.int64]:  # noqa: ANN401
    """The number of each bus of the conversion: the smallest index there, or one not in use."""
    index = np.sort(np.asarray(plain.bus.index, dtype=np.int64))
    place = np.asarray(plain["_pd2ppc_lookups"]["bus"][index])
    supplied = (place >= 0) & (place < count)
    _check_supplied(plain, index[~supplied])
    number = np.full(count, -1, dtype=np.int64)
    number[place[supplied][::-1]] = index[supplied][::-1]  # the last one written is the smallest
    inner = np.flatnonzero(number < 0)
    number[inner] = index[-1] + 1 + np.arange(len(inner))
    return number


def _check_supplied(plain: Any, lost: NDArray[np.int64]) -> None:  # noqa: ANN401
    """Refuse elements in service at buses in service that the conversion dropped."""
    for table in _AT_A_BUS:
        rows = plain[table]
        on = rows.in_service.astype(bool) & rows.bus.isin(lost)
        on &= rows.bus.map(plain.bus.in_service).astype(bool)
        if on.any():
            index = rows.index[on][0]
            raise InputError(
                f"{table} {index} is in service at bus {rows.bus[index]}, which nothing supplies.",
                "a path of lines, transformers and switches from each bus to an external grid.",
                f"close a switch, or set net.{table}.at[{index}, 'in_service'] = False.",
            )
