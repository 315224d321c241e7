"""Golden commands: releases on both stores, checks and refusals, by what they print as JSON."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from tests.golden.answer import Answer
from tests.ledger.stores.postgresql.server import Server, missing
from typer.testing import CliRunner

from privopt.cli import app

PROGRAM = {
    "privopt": "program", "version": 1, "linear": [1.0, 2.0, 3.0], "quadratic": [0.1, 0.1, 0.1],
    "G": [[1, 1, 1]], "lower": 0, "upper": 4, "names": ["coal", "gas", "hydro"],
    "data_names": ["demand"],
}  # fmt: skip
JOB = """
[program]
file = "program.json"
[data]
file = "d.csv"
[query]
identity = ["coal", "gas"]
[privacy]
epsilon = 1.0
alpha = 0.05
[feasibility]
kind = "exact-box"
eta = 0.05
[domain]
lower = 5.0
upper = 7.0
[design]
mechanism = "measured"
measure = "total"
"""
NETWORK = """
[program]
network = "14_ieee"
unit = "MW"
[query]
identity = ["p[1]"]
[privacy]
epsilon = 1.0
alpha = 1.0
[feasibility]
kind = "exact-box"
eta = 0.05
[domain]
around = 0.1
[design]
mechanism = "measured"
measure = "total"
"""
# Wording, and what depends on where the ledger lies (the digest of a row has its inode).
DROPPED = {
    "statement", "because", "verdict", "seen", "what", "warnings", "findings", "head", "drive",
    "assumptions", "purpose", "quota", "digest", "ledger", "rests_on",
}  # fmt: skip
CLOSE = {
    "cost", "optimal_cost", "loss", "loss_of_constant", "completed", "distance", "spread",
    "spreads", "cost_deviation", "solution_deviation",
}  # fmt: skip
FLAT = {
    "values", "errors", "tells", "told", "violation", "completion", "tightest", "completed_loss",
    "epsilon_for_half", "worth",
}  # fmt: skip


def _rule(key: str, value: Any) -> str:
    if key in CLOSE:
        return "close"
    simulated = key == "rows" and isinstance(value, dict)  # how often each row broke
    return "flat" if key in FLAT or simulated else "exact"


def sorted_out(shown: Any) -> Answer:
    """What a command printed as JSON, by the rule of each field."""
    parts = {rule: _part(shown, rule) or {} for rule in ("exact", "close", "flat")}
    return Answer(**parts)


def _part(value: Any, rule: str, within: str = "exact") -> Any:
    """The fields of one rule, at any depth; None where there are none."""
    if isinstance(value, dict):
        found: dict[str, Any] = {}
        for key, item in value.items():
            if key in DROPPED or (key == "maker" and value.get("mechanism") == "decision"):
                continue  # the digest of a decision knows its values, which may move
            own = _rule(key, item) if within == "exact" else within
            one = _part(item, rule, own)
            if one is not None or (own == rule and item is None):
                found[key] = one
        return found or None
    if isinstance(value, list):
        parts = [_part(item, rule, within) for item in value]
        return parts if any(part is not None for part in parts) else None
    return value if within == rule else None


@contextlib.contextmanager
def folder() -> Generator[Path]:
    """A folder with a job, its data, and a job of a network; commands run in it."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "program.json").write_text(json.dumps(PROGRAM), encoding="utf-8")
        (place / "d.csv").write_text("name,value\ndemand,6.012345\n", encoding="utf-8")
        (place / "job.toml").write_text(JOB, encoding="utf-8")
        (place / "network.toml").write_text(NETWORK, encoding="utf-8")
        os.chdir(place)
        try:
            yield place
        finally:
            os.chdir(before)


def _run(answer: Answer, name: str, *words: object, kept: bool = True) -> Any:
    result = CliRunner().invoke(app, [*map(str, words), "--json"], env={"COLUMNS": "120"})
    text = result.stdout
    shown = json.loads(text) if text.strip() else None
    one = sorted_out(shown) if kept else Answer()
    one.exact = {"exit code": result.exit_code, **one.exact}
    answer.put(name, one)
    return shown


def _released(ledger: str, limit: bool = True) -> Answer:
    """Charge, replay, a refusal by the budget, another decision, and every check there is."""
    answer = Answer()
    may = ("--ledger", ledger, *(("--limit", 1.5) if limit else ()), "--key", "may", "--clamp")
    _run(answer, "dry run", "release", "job.toml", *may[:-1], "--dry-run")
    first = _run(answer, "release", "release", "job.toml", *may, "--out", "r.json")
    measured = json.loads(Path("r.measurement.json").read_text(encoding="utf-8"))
    answer.exact["measured"] = measured["release"]["values"]
    answer.exact["map"] = measured["parts"][measured["instrument"]]["map"]
    again = _run(answer, "replay", "release", "job.toml", *may, "--out", "again.json", "--replay")
    answer.exact["replay is the release"] = first == again
    june = ("--ledger", ledger, "--key", "june", "--clamp", "--out", "june.json")
    _run(answer, "refused", "release", "job.toml", *june)
    _run(
        answer,
        "other eta",
        "decide",
        "job.toml",
        "--measurement",
        "r.measurement.json",
        "--eta",
        0.01,
    )
    _run(answer, "check", "decide", "--check", "r.decision.json")
    whole = ("--release", "r.json", "--decision", "r.decision.json", "--ledger", ledger)
    _run(answer, "verify", "verify", *whole)
    _run(answer, "show", "ledger", "show", ledger)
    _run(answer, "verify ledger", "ledger", "verify", ledger)
    _run(answer, "limit", "ledger", "limit", ledger, 3, "--yes")
    _run(answer, "june", "release", "job.toml", *june)
    _run(answer, "fetch", "ledger", "fetch", ledger, "--key", "may")
    _run(answer, "redact", "ledger", "redact", ledger, 2, "--yes")
    _run(answer, "show redacted", "ledger", "show", ledger)
    return answer


def _sqlite() -> Answer:
    with folder():
        return _released("l.ledger")


def _postgresql() -> Answer:
    server = Server()
    try:
        with folder():
            return _released(server.address("golden"))
    finally:
        server.remove()


def _plan() -> Answer:
    answer = Answer()
    with folder():
        given = ("job.toml", "--plan")
        _run(answer, "solve", "solve", "job.toml")
        _run(answer, "dry run", "release", *given, "--no-ledger", "--dry-run")
        charged = ("--ledger", "p.ledger", "--limit", 2, "--key", "a", "--clamp", "--out", "p.json")
        _run(answer, "release", "release", *given, *charged)
        _run(answer, "verify release", "verify", "--release", "p.json", "--ledger", "p.ledger")
        _run(answer, "verify", "verify", *given, "--samples", 300)
        for over, values in {"epsilon": "0.5,1", "eta": "0.05,0.1"}.items():
            _run(answer, f"over {over}", "frontier", *given, "--over", over, "--values", values)
        _run(
            answer,
            "gaussian",
            "solve",
            "job.toml",
            "--noise",
            "gaussian",
            "--epsilon",
            0.5,
            "--delta",
            1e-5,
        )
        _run(
            answer,
            "deviation",
            "solve",
            "job.toml",
            "--objective",
            "solution-deviation",
            "--phi",
            0.2,
        )
        _run(answer, "audit", "audit", "5_pjm", "--samples", 400, "--tries", 20, kept=False)
    return answer


def _network() -> Answer:
    answer = Answer()
    with folder():
        _run(
            answer,
            "release",
            "release",
            "network.toml",
            "--no-ledger",
            "--clamp",
            "--out",
            "r.json",
        )
        _run(answer, "check", "decide", "--check", "r.decision.json")
        _run(
            answer,
            "constant",
            "decide",
            "network.toml",
            "--measurement",
            "r.measurement.json",
            "--fidelity",
            0.01,
        )
        _run(answer, "look", "check", "network.toml")
    return answer


def _refusals() -> Answer:
    """Every exit code, and that nothing was charged."""
    answer = Answer()
    with folder() as place:
        ledger = ("--ledger", "x.ledger", "--limit", 1, "--key", "k", "--clamp", "--out", "x.json")
        cases: dict[str, tuple[object, ...]] = {
            "unknown entry": ("release", "job.toml", "--identity", "oil", *ledger),
            "no ledger": ("release", "job.toml", "--clamp", "--out", "x.json"),
            "epsilon of zero": ("release", "job.toml", "--epsilon", 0, *ledger),
            "beyond the limit": ("release", "job.toml", "--epsilon", 2, *ledger),
            "eta of one": ("release", "job.toml", "--eta", 1, *ledger),
            "no such file": ("release", "nothing.toml", *ledger),
            "determined": ("release", "job.toml", "--identity", "coal,gas,hydro", *ledger),
            "undecided": (
                "release",
                "job.toml",
                "--lower",
                0,
                "--upper",
                12,
                "--measure",
                "nothing",
                *ledger,
            ),
            "infeasible": ("solve", "job.toml", "--epsilon", 0.001),
            "data outside": ("check", "job.toml", "--upper", 5.5),
            "not a decision": ("decide", "--check", "program.json"),
        }
        for name, words in cases.items():
            _run(answer, name, *words)
        answer.exact["charged"] = [path.name for path in sorted(place.glob("x*"))]
    return answer


JOBS: dict[str, Callable[[], Answer]] = {
    "commands_sqlite": _sqlite,
    "commands_plan": _plan,
    "commands_network": _network,
    "commands_refusals": _refusals,
    **({} if missing() else {"commands_postgresql": _postgresql}),
}
