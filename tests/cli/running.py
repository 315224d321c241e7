"""A small job, and commands run on it: what they print and how they end."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any

from typer.testing import CliRunner, Result

import privopt as po
from privopt.cli import app

runner = CliRunner()
PROGRAM = {
    "privopt": "program", "version": 1, "linear": [1.0, 2.0, 3.0], "quadratic": [0.1, 0.1, 0.1],
    "G": [[1, 1, 1]], "lower": 0, "upper": 4, "names": ["coal", "gas", "hydro"],
    "data_names": ["demand"],
}  # fmt: skip
D = 6.012345
TREE: dict[str, dict[str, Any]] = {
    "program": {"file": "program.json"},
    "data": {"file": "d.csv"},
    "query": {"identity": ["coal", "gas"]},
    "privacy": {"noise": "laplace", "epsilon": 1.0, "alpha": 0.05},
    "feasibility": {"kind": "exact-box", "eta": 0.05},
}
DOMAIN = {"domain": {"lower": 5.0, "upper": 7.0}}
MEASURED = DOMAIN | {"design": {"mechanism": "measured", "measure": "total"}}


CUSTOMERS = "bus,customer,load (MW)\n1,ann,0\n2,ann,100\n2,bob,200\n3,bob,300\n4,eve,400\n5,eve,0\n"
NETWORK: dict[str, dict[str, Any]] = {
    "program": {"network": "5_pjm", "unit": "MW"},
    "query": {"identity": ["p[5]"]},
    "privacy": {"epsilon": 1.0, "alpha": 1.0},
    "feasibility": {"kind": "exact-box", "eta": 0.05},
    "domain": {"around": 0.1},
    "design": {"mechanism": "measured", "measure": "total"},
}  # its data: customers by bus


def instrument(name: str = "demand", alpha: float = 0.05, lower: float = 5.0) -> po.Instrument:
    """The sum of all data of the program, measured as the jobs would."""
    program = po.PublicProgram.from_dict(PROGRAM | {"data_names": [name]}).program
    noise, domain = po.Laplace(epsilon=1.0, alpha=alpha), po.Box(lower, 7.0)
    return po.Instrument({"total": [name]}, program=program, privacy=noise, domain=domain)


def words_of(parts: Sequence[object]) -> list[str]:
    """Words of a command line: a text may hold several of them; anything else is one."""
    each = (shlex.split(part) if isinstance(part, str) else [str(part)] for part in parts)
    return [word for words in each for word in words]


def verb(words: str, place: object) -> list[object]:
    """A command whose first argument is a place: it stands before the options."""
    name, _, options = words.partition(" ")
    return [name, place, options]


def clamping(words: Sequence[object]) -> list[str]:
    """A command as one that clamps data no one has looked at; what asks is tests/cli/test_check."""
    given = words_of(words)
    return [*given, "--clamp"] if given[:1] in (["release"], ["measure"]) else given


def run(*words: object, code: int = 0, answer: str | None = None, columns: int = 120) -> Result:
    result = runner.invoke(app, clamping(words), input=answer, env={"COLUMNS": str(columns)})
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def said(*words: object, code: int = 0, answer: str | None = None) -> str:
    """What a command says on both streams; lines are not broken."""
    return run(*words, code=code, answer=answer, columns=200).output


def spent(ledger: str = "d.ledger") -> po.Budget:
    with po.Ledger(ledger, read_only=True) as seen:
        return seen.spent


def flat(text: str) -> str:
    """The words of a text, whatever its lines are."""
    return " ".join(text.split())


def shown(*words: object, code: int = 0) -> Any:
    """What --json prints: one value, and nothing else."""
    return json.loads(run(*words, "--json", code=code).stdout)
