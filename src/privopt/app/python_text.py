"""A job as Python that does the same: a short script for whoever goes on in a notebook.

It names the program, what is released, noise, limits and domain, then measures and decides, or
solves a plan. The private data are what the reader fills in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from privopt.app.options import CHOICES
from privopt.app.tree import Tree

__all__ = ["python_of"]


def python_of(tree: Tree) -> str:
    """The script of a job; what the job does not say is left open in a comment."""
    return "\n".join([*_lines(tree), ""])


def _lines(tree: Tree) -> Iterator[str]:
    design, kind = tree.get("design", {}), _kind(tree)
    yield "import privopt as po"
    yield ""
    yield from _program(tree.get("program", {}))
    yield f"query = {_query(tree.get('query', {}))}"
    yield f"privacy = {_made('privacy', tree.get('privacy', {}))}"
    yield f"feasibility = {_made('feasibility', tree.get('feasibility', {}))}"
    if kind == "measured":
        yield from _domain(tree)
    yield ""
    if kind == "measured":
        yield from _measured(design)
    else:
        objective = _made("objective", tree["objective"]) if "objective" in tree else None
        more = "" if objective is None else f", objective={objective}"
        yield "# d: the private data"
        yield f"plan = po.solve(program.at(d), query, privacy, feasibility{more})"
        yield f"release = plan.release({_LEDGER})"
    yield "print(release.summary())"


_LEDGER = 'ledger=po.Ledger("data.ledger", limit=po.Budget(1.0)), key="first"'


def _kind(tree: Tree) -> str:
    usual = "measured" if "domain" in tree else "plan"
    return tree.get("design", {}).get("mechanism", usual)


def _program(entries: dict[str, Any]) -> Iterator[str]:
    unit = f"unit={entries['unit']!r}" if "unit" in entries else ""
    if "file" in entries:
        yield f"program = po.PublicProgram.load({entries['file']!r}).program"
    elif "network" in entries or "case" in entries:
        model = [repr(entries["model"])] if "model" in entries else []
        given = ", ".join([*model, *([unit] if unit else [])])
        yield f"network = po.networks.load({entries.get('network') or entries['case']!r})"
        yield f"program = whole = network.program({given})"
    else:
        yield "program = ...  # no program was chosen"
    if "private" in entries:
        yield "from privopt.model.program_file import protecting"
        yield ""
        yield f"program = protecting(program, {entries['private']!r})"


def _query(entries: dict[str, Any]) -> str:
    if "identity" in entries:
        return f"po.Identity({entries['identity']!r})"
    if "sum" in entries:
        separate = ", separate=True" if entries.get("separate") else ""
        return f"po.Sum({entries['sum']!r}{separate})"
    if "linear" in entries:
        return f"po.Linear(...)  # the matrix of {entries['linear']!r}"
    return "...  # nothing was chosen to be released"


def _made(section: str, entries: dict[str, Any]) -> str:
    choice = CHOICES[section]
    if not entries or (choice.needed and choice.entry not in entries):
        return f"...  # [{section}] is not decided"
    given = [f"{name}={value!r}" for name, value in entries.items() if name != choice.entry]
    return f"po.{choice.chosen(entries).__name__}({', '.join(given)})"


def _domain(tree: Tree) -> Iterator[str]:
    entries = tree.get("domain", {})
    if "around" in entries:
        yield "loads = whole.d[program.private]  # of a PGLib network: public"
        share = entries["around"]
        yield f"domain = po.Box(loads - {share!r} * abs(loads), loads + {share!r} * abs(loads))"
    elif entries:
        yield f"domain = po.Box({entries.get('lower')!r}, {entries.get('upper')!r})"
    else:
        yield "domain = po.Box(..., ...)  # not decided"


def _measured(design: dict[str, Any]) -> Iterator[str]:
    measure, weight = design.get("measure", "total"), _weight(design)
    same = "program=program, privacy=privacy, domain=domain"
    if measure == "choose":
        yield "instrument = po.choose_instrument("
        yield f"    program, query, privacy, feasibility, domain=domain{weight}"
        yield ")"
    elif measure == "total":
        yield f'instrument = po.Instrument({{"total": program.private_names}}, {same})'
    elif measure == "each":
        yield "sums = {name: [name] for name in program.private_names}"
        yield f"instrument = po.Instrument(sums, {same})"
    elif measure == "nothing":
        yield f"instrument = po.Instrument({{}}, {same})"
    elif isinstance(measure, str):
        yield f"instrument = po.Instrument(..., {same})  # the sums of {measure!r}"
    else:
        groups: Any = measure
        if isinstance(measure, list):
            groups = {f"sum[{k}]": group for k, group in enumerate(cast("list[Any]", measure))}
        yield f"instrument = po.Instrument({groups!r}, {same})"
    yield f"measurement = instrument.measure(d, {_LEDGER})  # d: the private data"
    given = _given(design, "balance", "fallback")
    yield f"decision = po.decide(program, query, measurement, feasibility{weight}{given})"
    yield "release = decision.release()"


def _weight(design: dict[str, Any]) -> str:
    if "within" in design:
        return f", fidelity=po.Within({design['within']!r})"
    return _given(design, "fidelity")


def _given(entries: dict[str, Any], *names: str) -> str:
    return "".join(f", {name}={entries[name]!r}" for name in names if name in entries)
