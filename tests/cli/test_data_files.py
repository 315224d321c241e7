"""Files of private data: every way to write them is read alike; what is wrong is not quoted."""

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
from tests.cli.running import CUSTOMERS as GOOD
from tests.cli.running import NETWORK as JOB
from tests.cli.running import PROGRAM, TREE, flat, run, shown

import privopt as po

CANARY = "391.7283"


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
# content, extra entries of [data] if any, what is said (of what is got, needed or to do)
BAD: dict[str, tuple[Any, ...]] = {
    "empty": (b"", "missing"),
    "blank lines": (b"\n\n  \n", "missing|column|without names"),
    "utf-16": (GOOD.encode("utf-16"), "written in UTF-16"),
    "header alone": (b"bus,customer,load\n", "has no row"),
    "no header": (f"1,ann,0\n2,bob,{CANARY}\n".encode(), "missing|column for the"),
    "p.u.": (whole("{bus},{value}", "bus,load (p.u.)"), "in p.u., and the program is in MW"),
    "energy": (whole("{bus},x,{value}", "bus,customer,MWh"), "no column for the value"),
    "two values": (whole("{bus},{value},{value}", "bus,load,demand"), "could be the value"),
    "two customers": (whole("{bus},a,b,{value}", "bus,customer,meter,MW"), "the customer"),
    "two times": (whole("{bus},0,1,{value}", "bus,hour,date,MW"), "could be the time"),
    "no bus": (whole("{bus},{value},x", "place,load,customer"), "no column for the bus"),
    "no value": (whole("{bus},{value},x", "bus,reading,customer"), "column for the value"),
    "columns misnamed": (
        whole("{bus},{value}", "Station,Reading"),
        {"columns": {"bus": "Stations", "value": "Reading"}}, "no column 'Stations'",
    ),
    "columns named twice": (
        whole("{bus},{bus},{value}", "Bus,Bus,load"),
        {"columns": {"bus": "Bus"}}, "more than one column 'Bus'",
    ),
    "times": (whole("{bus},07,{value}", "bus,hour,load"), "the program is of one time"),
    "pipes": (whole("{bus}|{value}|x", "bus|load|customer"), "missing|column|without names"),
    "spaces": (whole("{bus} {value}", "bus load"), "missing|names"),
    "decimal comma with commas": (
        whole("{bus},x,{value},5", "bus,customer,load"), "decimal comma",
    ),
    "decimal comma quoted with commas": (
        whole('{bus},x,"{value},5"', "bus,customer,load"), "that will not do",
    ),
    "thousands or decimals": (
        b"bus;load\n1;0\n2;1,300\n3;1,300\n4;1,400\n5;0\n", "could be 1.5 or 1500",
    ),
    "commas and points": (
        b"bus;load\n1;0\n2;300,5\n3;300.5\n4;400\n5;0\n", "decimal points and",
    ),
    "thousands with points": (b"bus;load\n1;0\n2;1.300,5\n3;1\n4;1\n5;0\n", "thousands"),
    "thousands with commas": (
        b'bus,customer,load\n1,a,0\n2,a,"1,300.5"\n3,a,1\n4,a,1\n5,a,0\n', "thousands",
    ),
    "thousands with spaces": (b"bus;load\n1;0\n2;1 300\n3;1\n4;1\n5;0\n", "thousands"),
    "point where a comma was said": (
        b"bus;load\n1;0\n2;300.5\n3;1\n4;1\n5;0\n", {"decimal": ","}, "will not do",
    ),
    "unit in a cell": (whole("{bus},{value} MW", "bus,load"), "no unit"),
    "not filled in": (b"bus,load\n1,0\n2,\n3,300\n4,400\n5,0\n", "not filled in"),
    "NaN": (b"bus,load\n1,0\n2,NaN\n3,300\n4,400\n5,0\n", "will not do"),
    "infinity": (b"bus,load\n1,0\n2,inf\n3,300\n4,400\n5,0\n", "will not do"),
    "words": (b"bus,load\n1,0\n2,n/a\n3,300\n4,400\n5,0\n", "will not do"),
    "error of a sheet": (b"bus,load\n1,0\n2,#REF!\n3,300\n4,400\n5,0\n", "will not do"),
    "missing buses": (b"bus,load\n1,0\n4,400\n", "no row for 2 of 5"),
    "unknown bus": (whole("{bus}7,{value}", "bus,load"), "does not have"),
    "names of buses": (whole("Bus {bus},{value}", "bus,load"), "does not have"),
    "a bus twice": (
        b"bus,load\n1,0\n2,100\n2,200\n3,300\n4,400\n5,0\n", "in more than one row",
    ),
    "no customer in a row": (
        b"bus,customer,load\n1,a,0\n2,,300\n3,a,300\n4,a,400\n5,a,0\n", "customer",
    ),
    "short row": (b"bus,customer,load\n1,a,0\n2,300\n", "as many columns"),
    "open quote": (b'bus,customer,load\n1,a,0\n2,"a,300\n3,b,1\n', "rows, values or customers"),
    "latin-1": ("bus,customer,load\n1,Jos\xe9,0\n".encode("latin-1"), "UTF-8"),
    "binary": (b"bus\0load\0" + CANARY.encode(), "no text"),
    "workbook": (workbook(), "Excel"),
    "gzip": (gzip.compress(GOOD.encode()), "compressed"),
    "html": (b"<html><table><tr><td>bus</td></tr></table>", "missing|names|column"),
    "half a parquet": (parquet(bus=LIST, load=LIST)[:60], "broken Parquet"),
    "parquet of words": (parquet(bus=LIST, load=["x"] * 5), "will not do"),
    "parquet with gaps": (parquet(bus=LIST, load=[1.0, None, 2.0, 3.0, 4.0]), "not filled in"),
    "parquet of NaN": (parquet(bus=LIST, load=[1.0, float("nan"), 2, 3, 4]), "not filled"),
    "parquet of times": (parquet(bus=LIST, load=LIST, time=LIST), "of one time"),
    "columns of a list of names": (
        b"name,value\ndemand[1],0\n", {"missing": "zero"}, "has missing, and .* is no table",
    ),
    "bounded, no customers": (whole("{bus},{value}", "bus,load"), {"bounded": True}, "customer"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def loads(content: str | bytes, entries: dict[str, Any] | None = None, **more: Any) -> None:
    """The data of a job."""
    Path("loads.csv").write_bytes(content.encode() if isinstance(content, str) else content)
    tree = JOB | {"data": {"file": "loads.csv"} | (entries or {})} | more
    Path("job.toml").write_text(toml(tree))


def test_an_entry_whose_domain_is_zero_needs_no_row() -> None:
    """Buses 1 and 5 have no load, and a domain of 0: whatever was read would be clamped to it."""
    loads("bus,load (MW)\n2,300\n3,300\n4,400\n")
    assert shown("check job.toml")["without_a_row"] == []


def test_the_curator_is_told_every_missing_bus() -> None:
    """By `check` in full, without being asked; with missing = "zero" in the look itself."""
    loads("bus,load (MW)\n3,300\n", domain={"lower": 0.0, "upper": 500.0})
    missing = "demand[1], demand[2], demand[4], demand[5]"
    said = run("check job.toml", code=2).stderr
    assert "PRIVATE" in said
    assert f"without a row: {missing}" in said
    assert "--reveal" not in said
    look = run("check job.toml --missing zero")
    assert f"4, taken as zero: {missing}" in flat(look.stdout)


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_table_is_refused_and_nothing_is_charged(here: Path, kind: str) -> None:
    content, *entries, said = BAD[kind]
    loads(content, *entries)
    before = sorted(here.iterdir())
    ledger = "--ledger d.ledger --limit 2 --key may --out r.json"
    for words in ("check job.toml", f"measure job.toml {ledger}"):
        message = flat(run(words, code=2).stderr)
        assert "loads.csv" in message
        assert re.search(said, message), message
        assert "391" not in message
        assert "ann" not in message.split()
        assert sorted(here.iterdir()) == before  # no ledger, no receipt, no output


def test_the_good_file_does() -> None:
    loads(GOOD)
    found = shown("check job.toml", code=1)
    assert [one["about"] for one in found["findings"]] == ["whole customers", "owners"]
    assert found["clamped"] == []
    assert Path("loads.csv.checked").exists()


def test_no_row_of_people_is_refused() -> None:
    """Not of sites that are those of the data either: the file is read once for them alone."""
    rows = f'2,bob,"1\n2,bob,1,\n2,bob,{CANARY}\xb5\n2,,9\n{CANARY},bob,2\n7,bob,1\n2,bob,x\n'
    loads(f"{GOOD}{rows}2.0,eve,9\n".encode("latin-1"), {"sites": "public", "bounded": True})
    said = run("measure job.toml --no-ledger --out m.json").output
    assert "391" not in said
    owners = po.Measurement.load("m.json").instrument.privacy.owners
    assert owners is not None
    assert [len(each) for each in owners] == [1, 3, 1, 1, 1]  # by number: no name is published


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
def test_ways_to_write_the_same(way: str) -> None:
    program = po.networks.load("5_pjm").program(unit="MW")
    loads(WAYS[way])
    assert po.read_data("loads.csv", program).d.tolist() == program.d.tolist()
    plan = JOB | {"data": {"file": "loads.csv"}, "design": {"mechanism": "plan"}}
    Path("job.toml").write_text(toml(plan))
    Path("own.toml").write_text(toml({name: plan[name] for name in plan if name != "data"}))
    assert shown("solve job.toml") == shown("solve own.toml")


NAMES = ["demand[1]", "flow[1,2]", "x y"]
LISTED = "[0.25, -1e-7, 3.0]"
FORMS = [
    "demand[1],0.25\nflow[1,2],-1e-7\nx y,3\n",
    "name,value\nx y,3.0\n\nflow[1,2],-1e-7\ndemand[1],+.25",
    'name,value\r\n"flow[1,2]",-1e-7\r\nx y , 3\r\ndemand[1],0.25\r\n',
    "\ufeffdemand[1],0.25\nflow[1,2],-1e-7\nx y,3\n",
    '{"x y": 3.0, "flow[1,2]": -1e-7, "demand[1]": 0.25}',
]
# content (H stands for a number that must not be quoted), what is held, what --reveal tells
WRONG = [
    ("", "0 numbers by name: 3 of 3 missing (demand[1], flow[1,2], x y).", "missing: demand[1]"),
    ("H", "1 number without names.", "Nothing more"),
    ("value\nH\n1\n1", "3 numbers without names.", "Nothing more"),
    ("demand[1],H\nflow[1,2],x\nx y,1", "finite", "no finite number: flow[1,2]"),
    ("demand[1],H\nflow[1,2],nan\nx y,1", "finite", "flow[1,2]"),
    ("demand[1],H\nflow[1,2],inf\nx y,1", "finite", "flow[1,2]"),
    ("demand[1],H\ndemand[1],1\nflow[1,2],1\nx y,1", "1 more than once.", "demand[1]"),
    ("demand[1],H\nflow[1,2],1", "2 numbers by name: 1 of 3 missing (x y).", "missing: x y"),
    ("Mr H,H\nflow[1,2],1\nx y,1", "1 of 3 missing (demand[1]); 1 unknown.", "unknown: Mr"),
    ('demand[1],"H', "neither CSV nor JSON", "Nothing more"),
    ("[H, 1]", "holds 2 numbers.", "Nothing more"),
    ("[]", "holds 0 numbers.", "Nothing more"),
    ("[H, 1, true]", "finite", "x y"),
    ("[H, 1, null]", "finite", "no finite number: x y"),
    ("[H, 1, NaN]", "finite", "x y"),
    ("[H, 1, -Infinity]", "finite", "x y"),
    ('{"demand[1]": H, "flow[1,2]": "1", "x y": 2}', "finite", "flow[1,2]"),
    ('{"demand[1]": H, "demand[1]": 1, "flow[1,2]": 1, "x y": 2}', "once", "demand[1]"),
    ('{"demand": H}', "3 of 3 missing", "unknown: demand"),
    ("[H", "neither CSV nor JSON", "Nothing more"),
    ("[" * 100_000, "neither CSV nor JSON", "Nothing more"),
]


@pytest.fixture
def three(here: Path) -> str:
    """A plan of three private entries whose names have commas and blanks."""
    rows = [[float(i == j % 3) for j in range(6)] for i in range(3)]
    program = PROGRAM | {"linear": [1, 2, 3, 4, 5, 6], "quadratic": [0.1] * 6, "G": rows}
    names = {"lower": -9, "upper": 9, "names": list("abcdef"), "data_names": NAMES}
    (here / "program.json").write_text(json.dumps(program | names))
    (here / "plan.toml").write_text(toml(TREE | {"query": {"identity": ["a"]}}))
    (here / "listed").write_text(LISTED)
    return "solve plan.toml --data"


@pytest.mark.parametrize("content", FORMS)
def test_forms_of_numbers_by_name(here: Path, three: str, content: str) -> None:
    (here / "d").write_text(content, encoding="utf-8", newline="")
    assert shown(three, "d") == shown(three, "listed")


@pytest.mark.parametrize(("content", "holds", "reveals"), WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_counted_and_not_quoted(
    here: Path, three: str, content: str, holds: str, reveals: str
) -> None:
    (here / "d").write_text(content.replace("H", "12345.678"), encoding="utf-8")
    said = flat(run(three, "d", code=2).output)
    assert "12345" not in said
    assert "Mr" not in said
    got, _, needed = said.partition(" needed: ")
    assert got.startswith("error d ")
    assert holds in got
    assert needed.startswith("3 numbers by name (demand[1], flow[1,2], x y): lines name,value")
    assert reveals in run(three, "d --reveal", code=2).stderr


def test_owners_and_alphas_stand_in_files(here: Path, three: str) -> None:
    """As CSV by name or as a list: the instrument is the library's."""
    (here / "alpha.csv").write_text('demand[1],0.1\n"flow[1,2]",0.2\nx y,0.3\n')
    (here / "owners.csv").write_text('entry,owner\ndemand[1],ann\n"flow[1,2]",bob\nx y,ann\n')
    (here / "owners.json").write_text('["ann", "bob", "ann"]')
    noise = po.Laplace(epsilon=1.0, alpha=[0.1, 0.2, 0.3], owners=["ann", "bob", "ann"])
    program = po.PublicProgram.load("program.json").program
    each = {name: [name] for name in NAMES}
    known = po.Instrument(each, program=program, privacy=noise, domain=po.Box(-5.0, 5.0))
    asked = "measure plan.toml --no-ledger --data listed --lower -5 --upper 5 --measure each"
    for owners in ("owners.csv", "owners.json"):
        run(asked, f"--alpha alpha.csv --owners {owners} --out m.json --overwrite")
        assert po.Measurement.load("m.json").instrument == known
    (here / "owners.csv").write_text("a,ann\na,bob\n")
    assert "holds no labels" in run(asked, "--owners owners.csv", code=2).stderr


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("z.csv", 'name,zone\ndemand[1],n\n"flow[1,2]",s\nx y,n\n'),
        ("z.csv", '"demand[1]",n\n"flow[1,2]",s\nx y , n\n'),
        ("z.json", '{"n": ["demand[1]", "x y"], "s": ["flow[1,2]"]}'),
    ],
)
def test_zones_of_a_file(here: Path, three: str, name: str, content: str) -> None:
    (here / name).write_text(content)
    asked = "measure plan.toml --no-ledger --data listed --lower -5 --upper 5 --out m.json"
    run(asked, f"--measure {name}")
    made = po.Measurement.load("m.json")
    assert (made.names, made.W.tolist()) == (("n", "s"), [[1, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("z.csv", "demand[1],x\nq,y\n", "names q, which is no private entry"),
        ("z.csv", "demand[1]\n", "an entry and a zone"),
        ("z.csv", "demand[1],\n", "an entry and a zone"),
        ("z.csv", "name,zone\n", "no line"),
        ("z.csv", '"demand[1]', "an entry and a zone"),
        ("z.json", "{}", "no groups"),
        ("z.json", '{"x": "demand[1]"}', "no groups"),
        ("z.json", "[[]]", "no groups"),
        ("z.json", "{", "no JSON"),
        ("z.json", '{"privopt": "release"}', "no groups"),
    ],
)
def test_what_is_no_file_of_sums(
    here: Path, three: str, name: str, content: str, says: str
) -> None:
    (here / name).write_text(content)
    said = run(f"measure plan.toml --lower -5 --upper 5 --dry-run --measure {name}", code=2).stderr
    assert says in said
    assert name in said


LEDGER = "--ledger d.ledger --limit 2 --key may"


def words(*command: object) -> str:
    return flat(run(*command).stdout)


@pytest.fixture
def chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A job in MW, and its customers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loads.csv").write_text(GOOD)
    (tmp_path / "job.toml").write_text(toml(JOB | {"data": {"file": "loads.csv"}}))
    return tmp_path


def test_a_unit_goes_from_the_dry_run_to_the_evidence(chain: Path) -> None:
    dry = words("release job.toml", LEDGER, "--dry-run")
    assert "for changes up to 1 MW" in dry
    assert "costs in $/h" in dry
    released = words("release job.toml", LEDGER, "--out r.json --clamp")
    assert "private entry by at most 1 MW" in released
    assert "one of 5 private entries differs by at most 1 MW" in words("ledger show d.ledger")
    state = json.loads(run("ledger show d.ledger --json").stdout)
    assert state["unit"] == "MW"
    run("report r.json --ledger d.ledger")
    assert "by at most 1 MW" in (chain / "r.html").read_text(encoding="utf-8")
    files = ("r.json", "r.measurement.json", "r.decision.json")
    run("evidence", *files, "--ledger d.ledger --out e")
    page = (chain / "e" / "index.html").read_text(encoding="utf-8")
    assert "private entry by at most 1 MW" in page
    assert ">MW</td>" in page
    data = json.loads((chain / "r.json").read_text())  # shown, and no part of the promise
    assert "unit" not in data["guarantee"]["privacy"]["terms"]
    assert data["units"]["data"] == "MW"
