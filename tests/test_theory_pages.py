"""The theory pages name what exists: functions, attributes, sources, tests, other pages."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

import privopt as po

ROOT = Path(__file__).parent.parent
THEORY = ROOT / "docs" / "theory"
EQUATIONS = THEORY / "equations"
DOCS = ROOT / "docs"
PAGES = [*sorted(THEORY.rglob("*.md")), DOCS / "limitations.md", DOCS / "comparison.md"]
SOURCES = [path.relative_to(ROOT).as_posix() for path in (ROOT / "src" / "privopt").rglob("*.py")]
BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
QUOTED = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
PART = re.compile(r"privopt(?:\.\w+)+")
FIELD = re.compile(r"(program|plan|decision|release)\.(\w+)")


def _quoted(page: Path) -> list[str]:
    """What stands in backticks, outside of blocks of code."""
    return QUOTED.findall(BLOCK.sub("", page.read_text(encoding="utf-8")))


def _resolves(dotted: str) -> bool:
    """Whether a dotted name is a module, or is reached from one by attributes and fields."""
    parts = dotted.split(".")
    for size in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:size]))
        except ModuleNotFoundError:
            continue
        return _has(found, parts[size:])
    return False


def _has(found: Any, parts: list[str]) -> bool:
    if not parts:
        return True
    if hasattr(found, parts[0]):
        return _has(getattr(found, parts[0]), parts[1:])
    if len(parts) > 1:
        return False
    fields = getattr(found, "__dataclass_fields__", {})
    made = getattr(getattr(found, "__init__", None), "__code__", None)
    return parts[0] in fields or (made is not None and parts[0] in made.co_names)


def _exists(path: str) -> bool:
    """Whether a path of the project exists; sources may be named by the end of their path."""
    if path.startswith(("tests/", "src/", "docs/", "benchmarks/")):
        return (ROOT / path).exists()
    return any(source.endswith(f"/{path}") for source in SOURCES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_names_and_paths_exist(page: Path) -> None:
    quoted = _quoted(page)
    names = {text for text in quoted if PART.fullmatch(text)}
    paths = {text for text in quoted if re.fullmatch(r"[\w/]+\.py|tests/[\w/.]*", text)}
    assert [name for name in sorted(names) if not _resolves(name)] == []
    assert [path for path in sorted(paths) if not _exists(path)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    links = LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8")))
    near = [link for link in links if not link.startswith("http")]
    assert [link for link in near if not (page.parent / link).exists()] == []


def test_attributes_exist() -> None:
    costs = {"linear": [1.0, 2.0, 3.0], "quadratic": [0.1, 0.1, 0.1]}
    program = po.ConvexProgram(G=[[1, 1, 1]], d=[6.0], lower=0.0, upper=4.0, **costs)
    asked = program, po.Identity([0]), po.Laplace(epsilon=1.0, alpha=0.1), po.ExactBox(eta=0.05)
    given = {"privacy": asked[2], "domain": po.Box(5.0, 7.0)}
    measured = po.Instrument([[1.0]], program=program, **given).measure([6.0])
    plan, decision = po.solve(*asked), po.decide(program, asked[1], measured, asked[3])
    made = {"program": program, "plan": plan, "decision": decision, "release": decision.release()}
    named = {
        match.groups()
        for page in PAGES
        for text in _quoted(page)
        if (match := FIELD.match(text)) and match[2] not in ("py", "md")
    }
    assert len(named) > 30
    assert [pair for pair in sorted(named) if not hasattr(made[pair[0]], pair[1])] == []


@pytest.mark.parametrize("index", [THEORY / "README.md", EQUATIONS / "README.md"], ids=str)
def test_every_page_is_in_its_index(index: Path) -> None:
    linked = set(LINK.findall(index.read_text(encoding="utf-8")))
    pages = {page.name for page in index.parent.glob("*.md")} - {index.name}
    assert pages <= linked


def test_an_equation_names_its_function_and_its_test() -> None:
    for page in EQUATIONS.glob("*.md"):
        if page.name == "README.md":
            continue
        quoted, text = _quoted(page), page.read_text(encoding="utf-8")
        assert any(name.startswith("privopt.") for name in quoted), page.name
        assert any(name.startswith("tests/") for name in quoted), page.name
        assert "```python" in text, page.name


def test_a_name_that_does_not_exist_is_noticed() -> None:
    assert _resolves("privopt.solving.affine.Affine.at")
    assert _resolves("privopt.mechanisms.plan.Plan.residual")  # a field without a default
    assert _resolves("privopt.mechanisms.private_data.PrivateData.F")  # set when it is made
    assert not _resolves("privopt.solving.affine.Affine.nowhere")
    assert not _resolves("privopt.nowhere.Affine")
    assert not _exists("nowhere.py")
    assert not _exists("tests/nowhere/")
