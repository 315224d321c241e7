"""The shape of the code: imports point one way, heavy things stay where they belong."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import privopt

SOURCE = Path(privopt.__file__).parent
ROOMS = (  # each imports only rooms that stand before it, lazily or not
    "the nouns everyone uses, at the top level",
    "noise",
    "claims",
    "show",
    "ledger",
    "kernel",
    "solving",
    "model",
    "feasibility",
    "mechanisms",
    "assess",
    "networks",
    "adapters",
    "app",
    "experiments",
    "report",
    "cli",
)
OLD = ("accounting.py",)  # names of version 0.1.0 that only lead on


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def room(module: str) -> int:
    """Where a module of privopt stands; those at the top level come first."""
    name = [*module.split("."), ""][1]
    return ROOMS.index(name) if name in ROOMS else 0


def test_a_room_imports_only_rooms_before_it() -> None:
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).parts
        if parts[0] in ("__init__.py", "__main__.py", *OLD):
            continue
        own = room(".".join(("privopt", *parts)))
        wrong = {name for name in imports(path) if name.startswith("privopt.") and room(name) > own}
        assert not wrong, f"{path} imports {wrong}"


def test_every_room_is_in_the_list() -> None:
    there = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert there == set(ROOMS[1:])
    assert len(list(SOURCE.glob("*.py"))) <= 16


def test_each_solver_and_sampler_has_one_caller() -> None:
    libraries = ("opendp", "clarabel", "highspy", "dp_accounting")
    callers = {library: set[str]() for library in libraries}
    for path in SOURCE.rglob("*.py"):
        for library, seen in callers.items():
            if any(name == library or name.startswith(library + ".") for name in imports(path)):
                seen.add(path.relative_to(SOURCE).as_posix())
    assert callers == {
        "opendp": {"noise/secure.py"},
        "clarabel": {"solving/solver.py"},
        "highspy": {"solving/highs.py"},
        "dp_accounting": {"ledger/loss.py"},
    }


def test_no_assert_and_no_print_in_the_library() -> None:
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.Assert)], path
        names = {
            n.func.id
            for n in ast.walk(tree)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
        }
        assert "print" not in names, path


def test_importing_privopt_loads_no_heavy_extra() -> None:
    heavy = ("opendp", "pandas", "cvxpy", "rich", "dp_accounting")
    code = f"import sys, privopt; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_every_public_name_is_documented_and_exists() -> None:
    for name in privopt.__all__:
        thing = getattr(privopt, name)
        assert name == "__version__" or thing.__doc__, name
