"""Rows of customers as the data of a program: exact sums, and what one customer can change."""

from __future__ import annotations

import csv
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import privopt as po
from privopt.adapters import read_data, read_sites
from privopt.noise.neighbours import Neighbours

BUSES, TIMES = ("north", "south", "west"), ("00", "01")
WHO = ("ann", "bob", "eve")


def program(times: bool = False) -> po.ConvexProgram:
    """Loads at three buses, at one time or two."""
    periods = po.Periods.grid(TIMES, BUSES)
    names = (
        [f"load[{b}]@{t}" for t in TIMES for b in BUSES] if times else [f"load[{b}]" for b in BUSES]
    )
    n = len(names)
    made = po.ConvexProgram(linear=np.ones(n), G=np.eye(n), lower=0, data_names=names)
    return made.over(periods) if times else made


AMOUNT = st.sampled_from([0, 3, 9]).flatmap(lambda places: st.decimals(-5, 50, places=places))
ROWS = st.lists(
    st.tuples(st.sampled_from(WHO), st.sampled_from(BUSES), st.sampled_from(TIMES), AMOUNT),
    max_size=25,
)  # fmt: skip


def write(path: Path, rows: Any) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("customer", "bus", "time", "load"))
        writer.writerows(rows)
    return path


def d_of(path: Path, rows: Any, **how: Any) -> np.ndarray:
    """With a row of each bus and time, of someone who is everywhere and uses nothing."""
    more = [("none", bus, time, 0) for bus in BUSES for time in TIMES]
    how.setdefault("missing", "zero")
    return read_data(write(path, [*rows, *more]), program(times=True), **how).d


QUICK = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@QUICK
@given(rows=ROWS)
def test_rows_are_added_by_bus_and_time(rows: Any, tmp_path: Path) -> None:
    wanted = [
        float(sum((Fraction(v) for _, b, t, v in rows if (b, t) == (bus, time)), Fraction(0)))
        for time in TIMES for bus in BUSES
    ]  # fmt: skip
    assert d_of(tmp_path / "x.csv", rows).tolist() == wanted


@example(  # written finer, ann's row must not change how far eve's is cut
    rows=[("eve", "north", "00", Decimal(50)), ("ann", "north", "00", Decimal("7.123456789"))],
    others=[],
    who="ann",
    places={one: list(BUSES) for one in WHO},
)
@QUICK
@given(
    rows=ROWS, others=ROWS, who=st.sampled_from(WHO),
    places=st.fixed_dictionaries(
        {who: st.lists(st.sampled_from(BUSES), min_size=1, max_size=3, unique=True) for who in WHO}
    ),
)  # fmt: skip
def test_all_of_one_customer_is_hidden_where_amounts_are_bounded(
    rows: Any, others: Any, who: str, places: Any, tmp_path: Path
) -> None:
    """Whatever the rows of one customer are, d changes in that one's entries by alpha at most."""
    made, alpha = program(times=True), 7.123456
    sites = read_sites(places, made)
    how = {"sites": sites, "bound": alpha}
    rest = [row for row in rows if row[0] != who]
    one, other = (
        d_of(tmp_path / "x.csv", rest + [(who, *row[1:]) for row in own], **how)
        for own in ([row for row in rows if row[0] == who], others)
    )
    apart = np.abs(one - other)
    noise = po.Laplace(epsilon=1.0, alpha=alpha, owners=sites.owners).aligned(made.private_names)
    wide = Neighbours(noise.neighbours.largest + np.spacing(200.0), noise.neighbours.owners, "each")
    assert not apart.any() or wide.holds(apart)


@QUICK
@given(rows=ROWS, more=ROWS)
def test_rows_outside_of_the_sites_count_as_zero(rows: Any, more: Any, tmp_path: Path) -> None:
    sites = read_sites({"ann": ["north"], "bob": ["north", "west"]}, program(times=True))
    known = {"ann": {"north"}, "bob": {"north", "west"}}
    inside = [row for row in rows if row[1] in known.get(row[0], set())]
    outside = [row for row in more if row[1] not in known.get(row[0], set())]
    path = tmp_path / "x.csv"
    assert d_of(path, inside + outside, sites=sites).tolist() == d_of(path, inside).tolist()
    read = read_data(path, program(times=True), sites=sites, missing="zero")
    assert read.rows is not None


def test_what_the_rows_were_like(tmp_path: Path) -> None:
    rows = [("ann", "north", 1), ("ann", "south", 2), ("bob", "south", 3), ("bob", "south", 4),
            ("eve", "west", -9)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["customer", "bus", "MW"])
    made = program().in_unit("MW")
    found = read_data(
        frame, made, sites=read_sites({"ann": BUSES, "bob": ["south"]}, made), bound=5
    )
    assert found.d.tolist() == [1.0, 7.0, 0.0]  # bob's 7 was cut to 5, eve is nowhere
    rows = found.rows
    assert rows is not None
    assert (rows.count, rows.customers, rows.at_most, rows.per_entry) == (5, 2, 2, (1, 2, 2))
    assert (rows.repeated, rows.outside, rows.cut) == (1, 1, 1)
    assert "7.0" not in repr(found)


def test_files_and_frames_say_the_same(tmp_path: Path) -> None:
    frame = pd.DataFrame({"bus": ["north", "south", "west"], "load": [0.1, 0.2, 0.3]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_parquet(tmp_path / "x.parquet")
    found = [read_data(x, program()).d.tolist() for x in
             (frame, tmp_path / "x.csv", tmp_path / "x.parquet")]  # fmt: skip
    assert found == [[0.1, 0.2, 0.3]] * 3


def test_columns_may_be_named(tmp_path: Path) -> None:
    frame = pd.DataFrame({"Station": BUSES, "meter": "m", "customer": "c", "Reading": [1, 2, 3]})
    given = {"bus": "Station", "value": "Reading", "customer": "meter"}
    with pytest.raises(po.errors.InputError, match="could be the customer"):
        read_data(frame, program(), columns={"bus": "Station", "value": "Reading"})
    assert read_data(frame, program(), columns=given).d.tolist() == [1.0, 2.0, 3.0]


def test_times_are_those_of_the_program(tmp_path: Path) -> None:
    made = program(times=True)
    frame = pd.DataFrame(
        [(b, h, 1.0) for b in BUSES for h in (0, 1)], columns=["bus", "hour", "load"]
    )
    assert read_data(frame, made).d.tolist() == [1.0] * 6
    with pytest.raises(po.errors.InputError, match="buses or times that the program does not have"):
        read_data(frame.assign(hour=frame["hour"] + 1), made)
    with pytest.raises(po.errors.InputError, match="no column for the time"):
        read_data(frame[["bus", "load"]], made)


def test_public_entries_and_what_is_no_load_are_added() -> None:
    made = po.ConvexProgram(
        linear=np.ones(3), G=np.eye(3), lower=0, private=[0, 1], d=[0, 0, 4.0],
        data_names=[f"load[{b}]" for b in BUSES],
    )  # fmt: skip
    frame = pd.DataFrame({"bus": ["north", "south"], "load": [1.0, 2.0]})
    beside = np.array([0.5, 0.0, 4.0])
    assert read_data(frame, made, public=beside).d.tolist() == [1.5, 2.0, 4.0]
    named = frame.assign(bus=["load[north]", "load[south]"]).rename(columns={"bus": "name"})
    assert read_data(named, made, public=beside).d.tolist() == [1.0, 2.0, 4.0]


def test_many_rows_are_added_exactly(tmp_path: Path) -> None:
    lines = "".join(f"c{k % 7},{BUSES[k % 3]},0.1\n" for k in range(1001))
    path = tmp_path / "x.csv"
    path.write_text("customer,bus,load\n" + lines)
    assert read_data(path, program()).d.tolist() == [33.4, 33.4, 33.3]  # 334 times 0.1


CELL = st.one_of(
    st.sampled_from(["1.5", "2,5", "1,500", "1.234,5", "nan", "1e400", "-1e400", "x", "", "07", '"',
                     "\ufffd", "north", "east", "00", "24", "-3", "1e-300", "load[north]@00"]),
    st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs",)), max_size=6),
)  # fmt: skip
LINES = st.lists(st.lists(CELL, min_size=1, max_size=5), max_size=4)
GOOD = st.lists(
    st.tuples(
        st.sampled_from(BUSES), st.sampled_from(TIMES),
        st.decimals(-5, 50, places=3).map(str),
    ),
    max_size=4,
)  # fmt: skip


@settings(QUICK, max_examples=150)
@given(
    others=GOOD, one=GOOD, two=GOOD, junk=LINES, separator=st.sampled_from(";,\t"),
    alpha=st.sampled_from([None, 0.5, 7.123456]), at=st.sampled_from([["north"], list(BUSES)]),
    shunt=st.booleans(), decimal=st.sampled_from([None, ".", ","]), named=st.booleans(),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
)  # fmt: skip
@example(  # a file without a line feed used to be no text, if anyone's row had a NUL
    others=[],
    one=[],
    two=[],
    junk=[["\0"]],
    separator=",",
    alpha=0.5,
    at=["south"],
    shunt=False,
    decimal=None,
    named=False,
    end="\r",
)
@example(  # a row outside of bob's sites used to switch the public part of that entry
    others=[],
    one=[("north", "00", "0.07")],
    two=[],
    junk=[],
    separator=",",
    alpha=0.5,
    at=["south"],
    shunt=True,
    decimal=None,
    named=True,
    end="\n",
)
def test_nothing_public_depends_on_one_customers_rows(
    others: Any, one: Any, two: Any, junk: Any, separator: str, alpha: float | None, at: list[str],
    shunt: bool, decimal: str | None, named: bool, end: str, tmp_path: Path,
) -> None:  # fmt: skip
    """Whatever the lines of ann are, and whether they are there: read alike, told alike.

    d moves in her entries only; with a bound, by no more than that, and one rounding. Where sites
    are those of the file, the others' stay as they are.
    """
    made = program(times=True)
    sites = read_sites({"ann": at, "bob": list(BUSES)}, made)
    beside = np.linspace(0.5, 3.0, 6) if shunt else None
    places: list[dict[str, frozenset[int]]] = []

    def line(who: str, bus: str, time: str, value: str) -> str:
        place = f"load[{bus}]@{time}" if named else bus
        return separator.join(f'"{cell}"' for cell in (who, place, time, value)) + "\n"

    def read(own: Any, more: Any) -> np.ndarray:
        head = separator.join(["customer", "name" if named else "bus", "time", "load"]) + "\n"
        body = "".join(line("ann", *row) for row in own)
        body += "".join(separator.join(["ann", *cells]) + "\n" for cells in more)
        body += "".join(line("bob", *row) for row in others)
        path = tmp_path / "x.csv"
        path.write_bytes((head + body).replace("\n", end).encode())
        told = read_sites(path, made, of_people=True).entries
        places.append({who: told[who] for who in told if who != "ann"})
        how = {"sites": sites, "bound": alpha, "public": beside, "decimal": decimal}
        return read_data(path, made, **how).d

    first, second, none = read(one, junk), read(two, []), read([], [])
    assert places[0] == places[1] == places[2]
    hers = np.array([name.partition("[")[2].partition("]")[0] in at for name in made.data_names])
    for d in (first, second):
        apart = np.abs(d - none)
        assert not apart[~hers].any()
        if alpha is not None:
            assert (apart <= alpha + np.spacing(300.0)).all()
    if shunt and not named and not others:
        assert none.tolist() == np.linspace(0.5, 3.0, 6).tolist()


class Odd:
    """A cell that says nothing."""

    def __str__(self) -> str:
        raise TypeError("73519")


@pytest.mark.parametrize(
    "cell",
    [True, Decimal("1.00"), 1 + 0j, 10**5000, Decimal("sNaN"), Fraction(10**400), [1], pd.NaT,
     float("nan"), None, b"1", 1, Fraction(10**5000, 3), [10**5000], np.timedelta64(5, "s"), Odd()],
    ids=lambda cell: type(cell).__name__,
)  # fmt: skip
@pytest.mark.parametrize("column", ["bus", "customer", "load"])
def test_one_cell_of_a_frame_changes_no_other_row(cell: Any, column: str) -> None:
    """Not even integers that are no floats, where the cell makes floats of their column."""
    made = numbered()
    sites = read_sites({"11": ["1"], "12": ["2"], "13": ["2"]}, made)
    rows: dict[str, list[Any]] = {
        "bus": ["2", "1", "1", "2"], "customer": ["13", "11", "11", "12"],
        "load": [1, 2**53 + 1, -(2**53), 3],
    }  # fmt: skip
    wanted = read_data(pd.DataFrame(rows).iloc[1:], made, sites=sites).d
    odd = {**rows, column: [cell, *rows[column][1:]]}
    for dtype in (None, object):  # as pandas infers a type of the whole column, or not
        frame = pd.DataFrame({k: pd.Series(v, dtype=dtype) for k, v in odd.items()})
        assert read_data(frame, made, sites=sites).d[0] == wanted[0]


def numbered() -> po.ConvexProgram:
    return po.ConvexProgram(
        linear=[1.0, 1.0], G=np.eye(2), lower=0, data_names=["load[1]", "load[2]"]
    )


@pytest.mark.parametrize("column", ["bus", "customer"])
def test_a_frame_of_people_says_buses_and_customers_in_texts(column: str) -> None:
    """Of numbers, one customer's missing cell would make other customers of all."""
    frame = pd.DataFrame({"bus": ["1"], "customer": ["11"], "load": [2.0]})
    for dtype in (object, "string", "category", "string[pyarrow]"):
        assert read_data(frame.astype({column: dtype}), numbered(), bound=9.0).d.tolist() == [2, 0]
    for cell in (11, 11.0, 11 + 0j, pd.Timestamp("2026-01-01")):
        numbers = frame.assign(**{column: cell})
        for bad in (numbers, numbers.astype({column: "category"})):
            with pytest.raises(po.errors.InputError, match="no texts"):
                read_data(bad, numbered(), bound=9.0)


def test_a_parquet_file_of_people_has_no_floats_for_customers(tmp_path: Path) -> None:
    """One missing number would have rounded those of all others."""
    frame = pd.DataFrame({"bus": ["1", "2"], "customer": [540000000000000001, None], "load": 1.0})
    frame.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(po.errors.InputError, match="that are floats"):
        read_data(tmp_path / "x.parquet", numbered(), bound=9.0)
    frame.assign(customer=["540000000000000001", None]).to_parquet(tmp_path / "x.parquet")
    assert read_data(tmp_path / "x.parquet", numbered(), bound=9.0).d.tolist() == [1, 0]


def test_sites_are_of_the_entries_that_are_read(tmp_path: Path) -> None:
    """Sites are places in d: in another order they would be those of other entries."""
    names = [f"load[{bus}]" for bus in BUSES]
    sites = read_sites({"ann": ["north"]}, program())
    for more in ({"data_names": names[::-1]}, {"data_names": names, "private": names[:2]}):
        other = po.ConvexProgram(linear=np.ones(3), G=np.eye(3), lower=0, **more)
        with pytest.raises(po.errors.InputError, match="sites are those of another program"):
            read_data(write(tmp_path / "x.csv", []), other, sites=sites)


def test_sites_that_are_none() -> None:
    for bad in ({}, {"ann": ["east"]}, {"": ["north"]}):
        with pytest.raises(po.errors.InputError, match="sites has"):
            read_sites(bad, program())
    alone = read_sites({"ann": ["north"]}, program()).owners
    assert len({tuple(own) for own in alone.values()}) == 3  # no bus is without an owner
