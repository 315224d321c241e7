"""What is read of a job and of its data, to the last bit: no command prints all of it.

Inner functions are asked for the whole job, for bits of d, and for how often names are gone
through; what a command shows of jobs and data is tests/cli/test_job_file and test_data_files.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.app.writing import flags, plain, toml

from privopt.app.data import read_values
from privopt.app.job import read_job

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
# needed | more, of each kind
ROWS = {
    "privacy": ("noise", {
        "laplace": "epsilon alpha | sensitivity",
        "gaussian": "epsilon delta alpha | sensitivity calibration",
        "truncated": "epsilon delta alpha | sensitivity",
    }),
    "feasibility": ("kind", {
        "analytic": "eta | margin scope", "exact-box": "eta |", "sampled-box": "eta beta |",
        "joint": "eta beta |", "scenario": "eta beta | samples", "always": "|",
    }),
    "objective": ("kind", {
        "expected-cost": "|", "cost-deviation": "phi |", "solution-deviation": "phi | published",
    }),
}  # fmt: skip
KINDS = {
    section: (
        chooser,
        {kind: [part.split() for part in row.split("|")] for kind, row in rows.items()},
    )
    for section, (chooser, rows) in ROWS.items()
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
@given(file=trees(), said=trees())
def test_a_file_and_flags_give_equal_objects_and_flags_go_first(
    tmp_path: Path, file: dict[str, Any], said: dict[str, Any]
) -> None:
    """Section by section: what the flags say, and what they leave open and still applies."""
    path = tmp_path / "job.toml"
    path.write_text(toml(file))
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
        alone = read_job("job.toml")
        assert plain(alone) == plain(read_job(flags=flags(file)))
        assert alone.ledger == "x.ledger"
    assert read_job(path).ledger == str(tmp_path / "x.ledger")


class Counted(tuple[str, ...]):
    """Names that count how often they are gone through."""

    rounds = 0

    def __iter__(self) -> Iterator[str]:
        self.rounds += 1
        return super().__iter__()


def test_names_are_gone_through_a_few_times_however_many_there_are(tmp_path: Path) -> None:
    names = Counted(f"d[{k}]" for k in range(300))
    (tmp_path / "d.csv").write_text("".join(f"{name},1\n" for name in reversed(names)))
    names.rounds = 0
    assert read_values(tmp_path / "d.csv", names).shape == (300,)
    assert names.rounds < 10


@steady
@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3))
def test_every_bit_comes_back(tmp_path: Path, values: list[float]) -> None:
    path, known = tmp_path / "d", ("demand[1]", "flow[1,2]", "x y")
    path.write_text("".join(f"{n},{v!r}\n" for n, v in zip(known, values, strict=True)))
    assert [v.hex() for v in read_values(str(path), known)] == [v.hex() for v in values]
