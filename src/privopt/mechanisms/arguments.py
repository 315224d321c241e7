"""Arguments of the verbs: each of its kind, and an object, not its class."""

from __future__ import annotations

from privopt.errors import Action, Clause, InputError
from privopt.feasibility.registry import REFORMULATIONS
from privopt.noise.registry import FAMILIES

__all__ = ["check_arguments"]

# What is passed under a name: the attribute that shows it, in words unless a registry lists it, and
# whether None will do.
_KINDS = {
    "program": ("equalities", "a ConvexProgram", False),
    "query": ("matrix", "Identity(...), Sum(...) or Linear(...)", False),
    "privacy": ("recharged", "", False),
    "feasibility": ("certifiable", "", False),
    "objective": ("deviation", "ExpectedCost() or another objective", False),
    "repeat": ("tries", "Repeat(...) or None", True),
    "settings": ("time_limit", "Settings(...) or None", True),
}


def check_arguments(**given: object) -> None:
    """Refuse an argument that is not of the kind its name says."""
    for name, value in given.items():
        attribute, needed, optional = _KINDS[name]
        if value is None and optional:
            continue
        if isinstance(value, type) or not hasattr(value, attribute):
            what = value.__name__ if isinstance(value, type) else type(value).__name__
            got = f"the class {what}, not an object of it" if isinstance(value, type) else what
            needed = needed or _listed(name)
            raise InputError(f"{name} is {got}.", f"{needed}.", (Clause(Action.HELP, "solve"),))


def _listed(name: str) -> str:
    """What is registered for an argument."""
    if name == "feasibility":
        first, second = (f"{kind.kind}(...)" for kind in REFORMULATIONS[:2])
        return f"{first}, {second} or another reformulation"
    *most, last = (f"{kind.kind}(...)" for kind in FAMILIES)
    return f"{', '.join(most)} or {last}"
