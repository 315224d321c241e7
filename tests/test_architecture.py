"""The shape of the code: imports point one way, heavy things stay where they belong."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import privopt

SOURCE = Path(privopt.__file__).parent
OUTER = ("networks", "adapters", "experiments", "jobs", "report", "cli", "__main__.py")


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_the_core_imports_nothing_of_the_outer_part() -> None:
    for path in SOURCE.rglob("*.py"):
        if path.relative_to(SOURCE).parts[0] in (*OUTER, "__init__.py"):  # the names, late
            continue
        outer = {f"privopt.{name}" for name in OUTER if name.isalpha()}
        wrong = {name for name in imports(path) if any(name.startswith(o) for o in outer)}
        assert not wrong, f"{path} imports {wrong}"


def test_each_solver_and_sampler_has_one_caller() -> None:
    libraries = ("opendp", "clarabel", "highspy", "dp_accounting")
    callers = {library: set[str]() for library in libraries}
    for path in SOURCE.rglob("*.py"):
        for library, seen in callers.items():
            if any(name == library or name.startswith(library + ".") for name in imports(path)):
                seen.add(path.relative_to(SOURCE).as_posix())
    assert callers == {
        "opendp": {"secure.py"},
        "clarabel": {"conic/solver.py"},
        "highspy": {"conic/highs.py"},
        "dp_accounting": {"accounting/loss.py"},
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
