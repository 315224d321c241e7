"""Fifty files of data that will not do: each is refused with what to do, and nothing is charged."""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.app.writing import toml
from tests.cli.running import run

import privopt as po
from privopt.app.job import read_job

GOOD = "bus,customer,load (MW)\n1,ann,0\n2,ann,100\n2,bob,200\n3,bob,300\n4,eve,400\n5,eve,0\n"
CANARY = "391.7283"
JOB: dict[str, dict[str, Any]] = {
    "program": {"network": "5_pjm", "unit": "MW"},
    "query": {"identity": ["p[5]"]},
    "privacy": {"epsilon": 1.0, "alpha": 1.0},
    "feasibility": {"kind": "exact-box", "eta": 0.05},
    "domain": {"around": 0.1},
    "design": {"mechanism": "measured", "measure": "total"},
}


def text(rows: str, header: str = "bus,load") -> bytes:
    return f"{header}\n{rows}".encode()


def whole(template: str, header: str) -> bytes:
    """A row for each bus; the value of the fourth is the canary."""
    values = ["0", "300", "300", CANARY, "0"]
    lines = [template.format(bus=k + 1, value=value) for k, value in enumerate(values)]
    return f"{header}\n".encode() + "".join(f"{line}\n" for line in lines).encode()


def workbook() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("xl/workbook.xml", CANARY)
    return file.getvalue()


def parquet(**columns: list[Any]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


LIST = [1, 2, 3, 4, 5]
# content, extra entries of [data], what is said (of what is got, needed or to do)
BAD: dict[str, tuple[bytes, dict[str, Any], str]] = {
    "empty": (b"", {}, "missing"),
    "blank lines": (b"\n\n  \n", {}, "missing|column|without names"),
    "utf-16": (GOOD.encode("utf-16"), {}, "written in UTF-16"),
    "header alone": (b"bus,customer,load\n", {}, "has no row"),
    "no header": (f"1,ann,0\n2,bob,{CANARY}\n".encode(), {}, "missing|column for the"),
    "p.u.": (whole("{bus},{value}", "bus,load (p.u.)"), {}, "in p.u., and the program is in MW"),
    "energy": (whole("{bus},x,{value}", "bus,customer,MWh"), {}, "no column for the value"),
    "two values": (whole("{bus},{value},{value}", "bus,load,demand"), {}, "could be the value"),
    "two customers": (whole("{bus},a,b,{value}", "bus,customer,meter,MW"), {}, "the customer"),
    "two times": (whole("{bus},0,1,{value}", "bus,hour,date,MW"), {}, "could be the time"),
    "no bus": (whole("{bus},{value},x", "place,load,customer"), {}, "no column for the bus"),
    "no value": (whole("{bus},{value},x", "bus,reading,customer"), {}, "column for the value"),
    "columns misnamed": (
        whole("{bus},{value}", "Station,Reading"),
        {"columns": {"bus": "Stations", "value": "Reading"}}, "no column 'Stations'",
    ),
    "columns named twice": (
        whole("{bus},{bus},{value}", "Bus,Bus,load"),
        {"columns": {"bus": "Bus"}}, "more than one column 'Bus'",
    ),
    "times": (whole("{bus},07,{value}", "bus,hour,load"), {}, "the program is of one time"),
    "pipes": (whole("{bus}|{value}|x", "bus|load|customer"), {}, "missing|column|without names"),
    "spaces": (whole("{bus} {value}", "bus load"), {}, "missing|names"),
    "decimal comma with commas": (
        whole("{bus},x,{value},5", "bus,customer,load"), {}, "decimal comma",
    ),
    "decimal comma quoted with commas": (
        whole('{bus},x,"{value},5"', "bus,customer,load"), {}, "that will not do",
    ),
    "thousands or decimals": (
        b"bus;load\n1;0\n2;1,300\n3;1,300\n4;1,400\n5;0\n", {}, "could be 1.5 or 1500",
    ),
    "commas and points": (
        b"bus;load\n1;0\n2;300,5\n3;300.5\n4;400\n5;0\n", {}, "decimal points and",
    ),
    "thousands with points": (b"bus;load\n1;0\n2;1.300,5\n3;1\n4;1\n5;0\n", {}, "thousands"),
    "thousands with commas": (
        b'bus,customer,load\n1,a,0\n2,a,"1,300.5"\n3,a,1\n4,a,1\n5,a,0\n', {}, "thousands",
    ),
    "thousands with spaces": (b"bus;load\n1;0\n2;1 300\n3;1\n4;1\n5;0\n", {}, "thousands"),
    "point where a comma was said": (
        b"bus;load\n1;0\n2;300.5\n3;1\n4;1\n5;0\n", {"decimal": ","}, "will not do",
    ),
    "unit in a cell": (whole("{bus},{value} MW", "bus,load"), {}, "no unit"),
    "not filled in": (b"bus,load\n1,0\n2,\n3,300\n4,400\n5,0\n", {}, "not filled in"),
    "NaN": (b"bus,load\n1,0\n2,NaN\n3,300\n4,400\n5,0\n", {}, "will not do"),
    "infinity": (b"bus,load\n1,0\n2,inf\n3,300\n4,400\n5,0\n", {}, "will not do"),
    "words": (b"bus,load\n1,0\n2,n/a\n3,300\n4,400\n5,0\n", {}, "will not do"),
    "error of a sheet": (b"bus,load\n1,0\n2,#REF!\n3,300\n4,400\n5,0\n", {}, "will not do"),
    "missing buses": (b"bus,load\n1,0\n4,400\n", {}, "no row for 2 of 5"),
    "unknown bus": (whole("{bus}7,{value}", "bus,load"), {}, "does not have"),
    "names of buses": (whole("Bus {bus},{value}", "bus,load"), {}, "does not have"),
    "a bus twice": (
        b"bus,load\n1,0\n2,100\n2,200\n3,300\n4,400\n5,0\n", {}, "in more than one row",
    ),
    "no customer in a row": (
        b"bus,customer,load\n1,a,0\n2,,300\n3,a,300\n4,a,400\n5,a,0\n", {}, "customer",
    ),
    "short row": (b"bus,customer,load\n1,a,0\n2,300\n", {}, "as many columns"),
    "open quote": (b'bus,customer,load\n1,a,0\n2,"a,300\n3,b,1\n', {}, "rows, values or customers"),
    "latin-1": ("bus,customer,load\n1,Jos\xe9,0\n".encode("latin-1"), {}, "UTF-8"),
    "binary": (b"bus\0load\0" + CANARY.encode(), {}, "no text"),
    "workbook": (workbook(), {}, "Excel"),
    "gzip": (gzip.compress(GOOD.encode()), {}, "compressed"),
    "html": (b"<html><table><tr><td>bus</td></tr></table>", {}, "missing|names|column"),
    "half a parquet": (parquet(bus=LIST, load=LIST)[:60], {}, "broken Parquet"),
    "parquet of words": (parquet(bus=LIST, load=["x"] * 5), {}, "will not do"),
    "parquet with gaps": (parquet(bus=LIST, load=[1.0, None, 2.0, 3.0, 4.0]), {}, "not filled in"),
    "parquet of NaN": (parquet(bus=LIST, load=[1.0, float("nan"), 2, 3, 4]), {}, "not filled"),
    "parquet of times": (parquet(bus=LIST, load=LIST, time=LIST), {}, "of one time"),
    "columns of a list of names": (
        b"name,value\ndemand[1],0\n", {"missing": "zero"}, "has missing, and .* is no table",
    ),
    "bounded, no customers": (whole("{bus},{value}", "bus,load"), {"bounded": True}, "customer"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_entry_whose_domain_is_zero_needs_no_row(folder: Path) -> None:
    """Buses 1 and 5 have no load, and a domain of 0: whatever was read would be clamped to it."""
    (folder / "loads.csv").write_text("bus,load (MW)\n2,300\n3,300\n4,400\n")
    (folder / "job.toml").write_text(toml(JOB | {"data": {"file": "loads.csv"}}))
    assert json.loads(run("check", "job.toml", "--json").stdout)["without_a_row"] == []


def test_the_curator_is_told_every_missing_bus(folder: Path) -> None:
    """By `check` in full, without being asked; with missing = "zero" in the look itself."""
    (folder / "loads.csv").write_text("bus,load (MW)\n3,300\n")
    domain = {"domain": {"lower": 0.0, "upper": 500.0}, "data": {"file": "loads.csv"}}
    (folder / "job.toml").write_text(toml(JOB | domain))
    missing = "demand[1], demand[2], demand[4], demand[5]"
    said = run("check", "job.toml", code=2).stderr
    assert "PRIVATE" in said
    assert f"without a row: {missing}" in said
    assert "--reveal" not in said
    look = run("check", "job.toml", "--missing", "zero")
    assert f"4, taken as zero: {missing}" in " ".join(look.stdout.split())


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_is_refused_and_nothing_is_charged(folder: Path, kind: str) -> None:
    content, entries, said = BAD[kind]
    (folder / "loads.csv").write_bytes(content)
    (folder / "job.toml").write_text(toml(JOB | {"data": {"file": "loads.csv", **entries}}))
    before = sorted(folder.iterdir())
    ledger = ("--ledger", "d.ledger", "--limit", "2", "--key", "may", "--out", "r.json")
    for words in (("check", "job.toml"), ("measure", "job.toml", *ledger)):
        result = run(*words, code=2)
        message = " ".join(result.stderr.split())
        assert "loads.csv" in message
        assert "needed:" in message
        assert "->" in message
        assert re.search(said, message), message
        assert "391" not in message
        assert "ann" not in message.split()
        assert sorted(folder.iterdir()) == before  # no ledger, no receipt, no output


def test_the_good_file_does(folder: Path) -> None:
    (folder / "loads.csv").write_text(GOOD)
    (folder / "job.toml").write_text(toml(JOB | {"data": {"file": "loads.csv"}}))
    found = json.loads(run("check", "job.toml", "--json", code=1).stdout)
    assert [one["about"] for one in found["findings"]] == ["whole customers", "owners"]
    assert found["clamped"] == []
    assert (folder / "loads.csv.checked").exists()


def test_no_row_of_people_is_refused(folder: Path) -> None:
    """Not of sites that are those of the data either: the file is read once for them alone."""
    rows = f'2,bob,"1\n2,bob,1,\n2,bob,{CANARY}\xb5\n2,,9\n{CANARY},bob,2\n7,bob,1\n2,bob,x\n'
    (folder / "loads.csv").write_bytes(f"{GOOD}{rows}2.0,eve,9\n".encode("latin-1"))
    more = {"data": {"file": "loads.csv", "sites": "public", "bounded": True}}
    (folder / "job.toml").write_text(toml(JOB | more))
    job = read_job("job.toml")
    assert job.data is not None
    assert job.data.reading["sites"].owners["demand[2]"] == ["ann", "bob", "eve"]
    assert job.read(tuple(f"demand[{k}]" for k in range(1, 6))).d.tolist() == [0, 3, 1, 1, 0]


WAYS = {
    "kW": GOOD.replace("(MW)", "(kW)").replace("00,", "00000,").replace("00\n", "00000\n").encode(),
    "GW, in the name": b"node,demand_gw\n1,0\n2,0.3\n3,.3\n4,4e-1\n5,0\n",
    "semicolons": GOOD.replace(",", ";").encode(),
    "tabs": GOOD.replace(",", "\t").encode(),
    "decimal commas": b"bus;customer;load (MW)\n1;a;0,0\n2;a;300,0\n3;a;300\n4;a;400\n5;a;0\n",
    "a mark in front": b"\xef\xbb\xbf" + GOOD.encode(),
    "line ends of windows": GOOD.replace("\n", "\r\n").encode(),
    "quotes": GOOD.replace("ann", '"Ann, senior"').encode(),
    "blank lines": GOOD.replace("\n", "\n\n").encode(),
    "other columns": GOOD.replace("\n", ",x\n").replace("(MW),x", "(MW),remark").encode(),
    "parquet": parquet(bus=[1, 2, 3, 4, 5], p_mw=[0.0, 300.0, 300.0, 400.0, 0.0]),
    "parquet of texts": parquet(
        node=["1", "2", "3", "4", "5"], load=["0", "300", "300", "400", "0"]
    ),
    "names of entries": b"name,MW\ndemand[1],0\ndemand[2],300\ndemand[3],300\ndemand[4],400\n"
    b"demand[5],0\n",
}


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_write_the_same(folder: Path, way: str) -> None:
    program = po.networks.load("5_pjm").program(unit="MW")
    (folder / "loads.csv").write_bytes(WAYS[way])
    assert po.read_data("loads.csv", program).d.tolist() == program.d.tolist()
    (folder / "job.toml").write_text(toml(JOB | {"data": {"file": "loads.csv"}}))
    read = read_job("job.toml").read(program.data_names)
    assert read.d.tolist() == program.d.tolist()
