"""The shape of the code: imports point one way, heavy things stay where they belong."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

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
    "web",
    "cli",
)
TESTS = Path(__file__).parent


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Everything in a file; read once for all tests."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in nodes(path):
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
        if parts[0] in ("__init__.py", "__main__.py"):
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
        "dp_accounting": {"ledger/composition.py"},
    }


def test_only_the_stores_know_sql() -> None:
    sql = re.compile(r"\b(SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE|PRAGMA)\b")
    knowing: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        texts = (node.value for node in nodes(path) if isinstance(node, ast.Constant))
        if "sqlite3" in imports(path) or any(isinstance(t, str) and sql.search(t) for t in texts):
            knowing.add(path.relative_to(SOURCE).parent.as_posix())
    assert knowing == {"ledger/stores/sqlite", "ledger/stores/postgresql"}


def test_what_is_above_the_stores_knows_their_protocol_alone() -> None:
    for path in SOURCE.rglob("*.py"):
        if (SOURCE / "ledger/stores") not in path.parents:
            known = {name for name in imports(path) if name.startswith("privopt.ledger.stores")}
            both = {f"privopt.ledger.stores.{name}" for name in ("protocol", "registry")}
            assert known <= both, f"{path} imports {known - both}"


def test_no_assert_and_no_print_in_the_library() -> None:
    for path in SOURCE.rglob("*.py"):
        assert not [node for node in nodes(path) if isinstance(node, ast.Assert)], path
        names = {
            n.func.id
            for n in nodes(path)
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


@pytest.mark.long
def test_the_picture_of_the_house_is_that_of_the_imports() -> None:
    """Drawn again, it is the same; if not: python -m docs.pictures.house."""
    pictures = Path(__file__).parents[1] / "docs" / "pictures"
    drawn = runpy.run_path(str(pictures / "house.py"))["picture"]()
    assert drawn == (pictures / "house.svg").read_text(encoding="utf-8")


def test_every_room_is_on_the_page_of_the_house() -> None:
    page = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert [name for name in ROOMS[1:] if f"`{name}/`" not in page] == []


@pytest.mark.long
def test_tests_look_at_what_anyone_may_look_at() -> None:
    """No private name of privopt is read, patched or imported by a test."""
    found: list[str] = []
    for path in TESTS.rglob("*.py"):
        place = path.relative_to(TESTS)
        found += [f"{place}:{line}: {name}" for line, name in hidden_names(nodes(path))]
    assert found == []


def hidden_names(seen: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Where something reads a private attribute of another, by name or as a text."""
    for node in seen:
        if isinstance(node, ast.Attribute) and hides(node.attr):
            if not (isinstance(node.value, ast.Name) and node.value.id in OWN):
                yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("privopt"):
            yield from ((node.lineno, one.name) for one in node.names if hides(one.name))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            path = node.value.split(".")
            if path[0] == "privopt" and all(part.isidentifier() for part in path):
                yield from ((node.lineno, node.value) for part in path if hides(part))
        elif isinstance(node, ast.Call) and len(node.args) > 1:
            named = ast.unparse(node.func).rpartition(".")[2] in ("setattr", "delattr", "getattr")
            name = node.args[1].value if isinstance(node.args[1], ast.Constant) else None
            whose = ast.unparse(node.args[0])
            if named and isinstance(name, str) and hides(name) and whose not in OWN:
                yield node.lineno, name


OWN = ("self", "cls", "os", "sys", "typer.testing")  # one's own, and what others' libraries leave


def hides(name: str) -> bool:
    return name.startswith("_") and not name.endswith("_")  # not __init__, not _repr_html_


def test_a_look_at_a_private_name_would_be_seen() -> None:
    text = """
from privopt.noise.secure import _draw
plan._made(None)
patch.setattr(plan, "_made", None)
patch.setattr("privopt.noise.secure._draw", None)
self._own, os._exit, plan._repr_html_(), plan.__doc__
"""
    assert sorted(line for line, _ in hidden_names(ast.walk(ast.parse(text)))) == [2, 3, 4, 5]


def test_a_class_name_means_one_thing() -> None:
    names = [
        node.name
        for path in SOURCE.rglob("*.py")
        for node in nodes(path)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    assert sorted({name for name in names if names.count(name) > 1}) == []
