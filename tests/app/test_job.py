"""A file and the flags that say the same give equal objects; flags go before the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.app.writing import flags, plain, toml

import privopt as po
from privopt.app.job import read_job
from privopt.app.making import instrument_of, solved
from privopt.app.measuring import tried
from privopt.errors import InputError, PrivoptError

steady = settings(
    deadline=None,
    max_examples=150,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
share = st.floats(1e-6, 0.15)
positive = st.floats(1e-6, 1e6)
names = st.lists(
    st.one_of(st.sampled_from(["x", "y", "w", "p[1,2]", "p[3]", "a b"]), st.integers(0, 9)),
    min_size=1,
    max_size=4,
)
ENTRY: dict[str, st.SearchStrategy[Any]] = {
    "epsilon": positive, "alpha": positive, "delta": share, "sensitivity": positive,
    "eta": share, "beta": share, "samples": st.integers(1, 10**6), "phi": st.floats(0, 1),
    "margin": st.sampled_from(["exact", "unimodal"]), "scope": st.sampled_from(["row", "joint"]),
    "published": st.booleans(), "calibration": st.just("charge"),
}  # fmt: skip
KINDS: dict[str, tuple[str, dict[str, tuple[tuple[str, ...], tuple[str, ...]]]]] = {
    "privacy": (
        "noise",
        {
            "laplace": (("epsilon", "alpha"), ("sensitivity",)),
            "gaussian": (("epsilon", "delta", "alpha"), ("sensitivity", "calibration")),
            "truncated": (("epsilon", "delta", "alpha"), ("sensitivity",)),
        },
    ),
    "feasibility": (
        "kind",
        {
            "analytic": (("eta",), ("margin", "scope")),
            "exact-box": (("eta",), ()),
            "sampled-box": (("eta", "beta"), ()),
            "joint": (("eta", "beta"), ()),
            "scenario": (("eta", "beta"), ("samples",)),
            "always": ((), ()),
        },
    ),
    "objective": (
        "kind",
        {
            "expected-cost": ((), ()),
            "cost-deviation": (("phi",), ()),
            "solution-deviation": (("phi",), ("published",)),
        },
    ),
}


@st.composite
def trees(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    """Jobs without a program (that part is slower to resolve, and tried below)."""
    tree: dict[str, dict[str, Any]] = {}
    for section, (chooser, kinds) in KINDS.items():
        kind = draw(st.sampled_from(sorted(kinds)))
        needed, more = kinds[kind]
        extra = draw(st.sets(st.sampled_from(more))) if more else set[str]()
        chosen = [*needed, *sorted(extra)]
        tree[section] = {chooser: kind, **{name: draw(ENTRY[name]) for name in chosen}}
    query = draw(st.sampled_from(["identity", "sum"]))
    value = names if query == "identity" else st.lists(names, min_size=1, max_size=3)
    tree["query"] = {query: draw(value)}
    if query == "sum" and draw(st.booleans()):
        tree["query"]["separate"] = draw(st.booleans())
    tree["design"] = {"mechanism": draw(st.sampled_from(["measured", "plan"]))}
    if draw(st.booleans()):
        tree["design"][draw(st.sampled_from(["fidelity", "within"]))] = draw(positive)
    if draw(st.booleans()):
        tree["repeat"] = {"mu": draw(share), "test": draw(st.sampled_from(["public", "published"]))}
    tree["settings"] = {
        "tolerance": draw(st.floats(1e-10, 1e-6)),
        "time_limit": draw(positive),
        "threads": draw(st.integers(0, 4)),
        "seed": draw(st.integers(0, 10**9)),
    }
    limit = draw(st.floats(0, 100))
    tree["ledger"] = {"path": "x.ledger", "limit": limit, "dataset": "loads", "key": "may"}
    if draw(st.booleans()):
        tree["ledger"]["delta"] = draw(share)
    tree["data"] = {"file": "d.csv"}
    tree["output"] = {"path": "out/release.json"}
    return tree


@pytest.mark.long
@steady
@given(tree=trees())
def test_a_file_and_flags_give_equal_objects(tmp_path: Path, tree: dict[str, Any]) -> None:
    file = tmp_path / "job.toml"
    file.write_text(toml(tree), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        said, written = read_job(flags=flags(tree)), read_job("job.toml")
    assert plain(written) == plain(said)
    assert written.ledger == "x.ledger"
    assert read_job(file).ledger == str(tmp_path / "x.ledger")


@pytest.mark.long
@steady
@given(file=trees(), said=trees())
def test_flags_go_before_the_file(
    tmp_path: Path, file: dict[str, Any], said: dict[str, Any]
) -> None:
    """Section by section: what the flags say, and what they leave open and still applies."""
    path = tmp_path / "job.toml"
    path.write_text(toml(file), encoding="utf-8")
    expected = {section: file.get(section, {}) | said.get(section, {}) for section in file | said}
    for section, (chooser, kinds) in KINDS.items():
        allowed = {chooser, *(name for part in kinds[said[section][chooser]] for name in part)}
        both = file[section] | said[section]
        expected[section] = {name: value for name, value in both.items() if name in allowed}
    separate = {k: v for k, v in file["query"].items() if k == "separate"}
    keep = separate if "sum" in said["query"] else {}
    expected["query"] = keep | said["query"]
    wishes = {"fidelity", "within"}
    if wishes & said["design"].keys():
        kept = {k: v for k, v in file["design"].items() if k not in wishes}
        expected["design"] = kept | said["design"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        assert plain(read_job("job.toml", flags(said))) == plain(read_job(flags=flags(expected)))


def test_a_program_from_file_and_flags(tmp_path: Path) -> None:
    tree = {
        "program": {"network": "5_pjm", "model": "matpower", "private": ["demand[2]", 3]},
        "query": {"identity": ["p[3]"]},
        "privacy": {"epsilon": 1.0, "alpha": 0.01},
        "feasibility": {"kind": "exact-box", "eta": 0.05},
        "domain": {"around": 0.1},
    }
    (tmp_path / "job.toml").write_text(toml(tree), encoding="utf-8")
    job = read_job(tmp_path / "job.toml")
    assert plain(job) == plain(read_job(flags=flags(tree)))
    assert job.source is not None
    assert job.domain is not None
    network = po.networks.load("5_pjm")
    assert job.source.program.private.tolist() == [1, 3]
    np.testing.assert_allclose(job.domain.upper, 1.1 * network.buses.demand[[1, 3]])
    assert not job.source.program.has_data
    public = job.source.designable.d
    assert public[2] == network.program("matpower").d[2]
    assert public[1] == public[3] == 0.0


def test_a_program_file(tmp_path: Path) -> None:
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0], G=[[1, 1, 1], [0, 1, 0]], d=[6.0, 1.25], lower=0, upper=4,
        data_names=["demand", "contract"], private=["demand"],
    )  # fmt: skip
    po.PublicProgram(program).save(tmp_path / "program.json")
    (tmp_path / "d.csv").write_text("name,value\ncontract,1.25\ndemand,6\n")
    said = {
        "program": str(tmp_path / "program.json"), "identity": "0", "epsilon": "1",
        "alpha": "0.01", "feasibility": "exact-box", "eta": "0.05",
    }  # fmt: skip
    job = read_job(flags=said | {"data": str(tmp_path / "d.csv")})
    assert solved(job).program.d.tolist() == [6.0, 1.25]
    decision = tried(
        whole := read_job(flags=said | {"lower": "5", "upper": "7"}), instrument_of(whole)
    )
    assert decision.certificate is not None
    assert np.asarray(program.G @ decision.certificate.z0)[1] == pytest.approx(1.25)
    with pytest.raises(InputError, match="no value for 'demand'"):
        read_job(flags=said | {"private": "contract"})
    with pytest.raises(InputError, match="no data"):
        solved(read_job(flags=said))
    with pytest.raises(InputError, match="no PGLib network"):
        read_job(flags=said | {"around": "0.05"})


def test_domains_by_list_table_and_file(tmp_path: Path) -> None:
    common = {"program": {"network": "3_lmbd"}}
    low = {f"demand[{k}]": float(k) for k in (3, 1, 2)}
    (tmp_path / "low.csv").write_text("".join(f"{k},{v}\n" for k, v in low.items()))
    found: list[Any] = []
    for lower in ([1.0, 2.0, 3.0], low, "low.csv"):
        (tmp_path / "job.toml").write_text(toml(common | {"domain": {"lower": lower, "upper": 9}}))
        found.append(plain(read_job(tmp_path / "job.toml").domain)[1]["lower"])
    assert found[0] == found[1] == found[2]


def test_a_linear_query_of_a_file(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    job = {"program": {"network": "3_lmbd"}, "query": {"linear": "S.csv"}}
    (tmp_path / "job.toml").write_text(toml(job))
    program = po.networks.load("3_lmbd").program()
    order = list(reversed(program.names))
    row = [1.0 if name == "p[1]" else 0.5 if name == "p[2]" else 0.0 for name in order]
    quoted = ",".join(["", *order])
    (tmp_path / "S.csv").write_text(f"{quoted}\nboth,{','.join(map(str, row))}\n")
    query = read_job(tmp_path / "job.toml").query
    assert query is not None
    assert query.names(program) == ("both",)
    assert query.matrix(program).toarray()[0, :2].tolist() == [1.0, 0.5]
    (tmp_path / "S.csv").write_text(",".join(str(x) for x in row) + "\n")
    plain_query = read_job(tmp_path / "job.toml").query
    assert plain_query is not None
    assert plain_query.matrix(program).toarray().tolist() == [row]
    for bad in ("", "a,b\n1", "1,x\n2,y", "\xff"):
        (tmp_path / "S.csv").write_bytes(bad.encode("latin-1"))
        with pytest.raises(InputError, match="no matrix S"):
            read_job(tmp_path / "job.toml")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[privcy]\n", "did you mean 'privacy'"),
        ("[privacy]\nepsilom = 1", "did you mean 'epsilon'"),
        ("[feasibility]\nepsilon = 1", r"belongs in \[privacy\]"),
        ("epsilon = 1", r"belongs in \[privacy\]"),
        ("program = 1", "no section"),
        ('[privacy]\nepsilon = "1"', "is '1'"),
        ("[privacy]\nepsilon = true", "is True"),
        ('[design]\nmechanism = "noise"', "is 'noise'.*one of: measured, plan"),
        ("[privacy]\nepsilon = nan", "finite"),
        ('[privacy]\nnoise = "lapalce"', "did you mean 'laplace'"),
        ("[privacy]\nepsilon = 1.0\nalpha = 1\ndelta = 0.1", "laplace does not take"),
        ("[privacy]\nepsilon = 1.0", "has no alpha"),
        ("[feasibility]\neta = 0.05", "has no kind"),
        ('[feasibility]\nkind = "joint"\neta = 0.05', "has no beta.*--beta"),
        ('[query]\nidentity = ["x"]\nsum = [["x"]]', "identity and sum"),
        ("[query]\nsum = [1, 2]", "lists of names"),
        ("[query]\nseparate = true\nidentity = [1]", "identity and separate"),
        ("[query]\nseparate = true", "separate without sum"),
        ('[program]\nnetwork = "14_ieeee"', "did you mean '14_ieee'"),
        ('[program]\nnetwork = "x/case.m"', "--case"),
        ('[program]\nmodel = "matpower"', "names no program"),
        ("[domain]\nlower = 1", "without a program"),
        ('[program]\nnetwork = "3_lmbd"\n[domain]\nlower = 1', "has no upper"),
        ('[program]\nnetwork = "3_lmbd"\n[domain]\naround = 7', "a share"),
        ('[ledger]\npath = "x"\ndelta = 0.1', "without limit"),
        ("[settings]\nseed = -1", "from 0"),
        ("[settings]\nthreads = 1.5", "whole number"),
        ('[output]\npath = ""', "path of a file"),
        ("x =\ny = 1", "no TOML.*line 1"),
        ("\x00", "no TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_a_remedy(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "job.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(PrivoptError, match=says):
        read_job(path)


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"epsilon": "one"}, "finite number"),
        ({"epsilon": "1e999"}, "finite number"),
        ({"epsilon": "\u0661"}, "finite number"),
        ({"identity": "x,,y"}, "names or positions"),
        ({"threads": "1.0"}, "whole number"),
        ({"network": "3_lmbd", "case": "x.m"}, "network and case"),
        ({"noise": "gauss", "epsilon": "1"}, "did you mean 'gaussian'"),
        ({"feasibility": "exact-box", "eta": "0.1", "beta": "0.1"}, "does not take"),
    ],
)
def test_wrong_flags_are_refused(said: dict[str, str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_job(flags=said)


def test_a_flag_takes_the_place_of_its_alternatives(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    path.write_text(
        '[query]\nidentity = ["x"]\n[design]\nwithin = 0.1\n'
        '[feasibility]\nkind = "joint"\neta = 0.04\nbeta = 0.01\n'
    )
    job = read_job(path, {"sum": "x,y;w", "fidelity": "3", "feasibility": "exact-box"})
    assert plain(job.query) == plain(po.Sum([["x", "y"], ["w"]]))
    assert job.fidelity == 3.0
    assert job.feasibility == po.ExactBox(eta=0.04)


def test_private_values_are_in_no_message(tmp_path: Path) -> None:
    path = tmp_path / "job.toml"
    for content in (
        "[data]\nvalues = [1.0, 12345.678, 'x']",
        "[data]\nvalues = 12345.678",
        "[data]\nvalues = [12345.678,, ]",
        "[data]\nvalues = {a = 12345.678, b = 'x'}",
    ):
        path.write_text(content)
        with pytest.raises(InputError) as caught:
            read_job(path)
        assert "12345" not in str(caught.value)
        assert "at line" not in str(caught.value)
    path.write_text("[data]\nvalues = [12345.678]")
    assert "12345" not in repr(read_job(path))


def test_a_job_with_a_domain_measures_and_one_without_is_a_plan() -> None:
    said = {"network": "3_lmbd"}
    assert read_job(flags=said).made_by() == "plan"
    bounded = read_job(flags=said | {"around": "0.1"})
    assert bounded.made_by() == "measured"
    assert bounded.made_by(plan=True) == "plan"
    assert read_job(flags=said | {"around": "0.1", "mechanism": "plan"}).made_by() == "plan"


def test_a_network_s_own_loads_are_no_data_of_another_program() -> None:
    job = read_job(flags={"network": "3_lmbd"})
    assert job.source is not None
    names = job.source.program.data_names
    assert job.d(names).tolist() == po.networks.load("3_lmbd").program().d.tolist()
    with pytest.raises(InputError, match="no data"):
        job.d(("a", "b", "c"))
