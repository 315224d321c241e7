"""Arguments of the verbs: each of its kind, and an object, not its class."""

from __future__ import annotations

from privopt.errors import InputError

__all__ = ["check_arguments"]

# What is passed under a name, the attribute that shows it, and whether None will do.
_KINDS = {
    "program": ("equalities", "a ConvexProgram", False),
    "query": ("matrix", "Identity(...), Sum(...) or Linear(...)", False),
    "privacy": ("calibrate", "Laplace(...), Gaussian(...) or TruncatedLaplace(...)", False),
    "feasibility": ("settle", "Analytic(...), ExactBox(...) or another reformulation", False),
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
            raise InputError(f"{name} is {got}.", f"{needed}.", "see help(privopt.solve).")
