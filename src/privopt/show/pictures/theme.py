"""Colours by name, light and dark. On a page they are the variables of its style sheet.

`page.css` has the same colours (a test compares them). A picture alone, in a notebook or as a file,
brings them along: `light-dark()` follows the theme of whatever shows it.
"""

from __future__ import annotations

__all__ = ["COLOURS", "LOADS", "colour", "stylesheet"]

COLOURS = {
    "ground": ("#fdfdfb", "#14171b"),
    "raised": ("#ffffff", "#20252b"),
    "ink": ("#1c2126", "#e8e8e4"),
    "muted": ("#59626b", "#a3abb3"),
    "rule": ("#d3d8dc", "#3a424a"),
    "grid": ("#e8ebed", "#2a3037"),
    "accent": ("#0b5c8f", "#7cc0ee"),
    "good": ("#1d7a4f", "#5fcf9b"),
    "warn": ("#8a5200", "#f3b65a"),
    "bad": ("#a62a1b", "#ff9282"),
    "limit": ("#a62a1b", "#ff9282"),
    "released": ("#6d28d9", "#c4a1ff"),
    "analytic": ("#0068a8", "#5aaef0"),
    "sampled": ("#c65500", "#ff924d"),
    "box": ("#008a63", "#3fd0a1"),
    "measured": ("#6b3fa0", "#c9a6f5"),
    "other": ("#4b4f9c", "#a9adf2"),
    "demand": ("#c65500", "#ff924d"),
    "supply": ("#0068a8", "#5aaef0"),
    "seq0": ("#eef4f8", "#20303f"),
    "seq1": ("#b3d4e8", "#2b567b"),
    "seq2": ("#64a6d0", "#3e86b8"),
    "seq3": ("#2570a8", "#7cbbe0"),
    "seq4": ("#0a3a6b", "#d9f0fb"),
    "load0": ("#ccd2d6", "#454d55"),
    "load1": ("#b9ad8f", "#766b50"),
    "load2": ("#d09a3f", "#b98a3a"),
    "load3": ("#c9661c", "#ee9440"),
    "load4": ("#a3240f", "#ff705a"),
}
LOADS = 5  # shades of how loaded a line is


def colour(name: str) -> str:
    """A colour of the theme, as an attribute has it."""
    return f"var(--{name})"


def stylesheet(names: set[str]) -> str:
    """The colours with these names, for a picture that no page gives them to."""
    kept = {name: pair for name, pair in COLOURS.items() if name in names}
    variables = "".join(f"--{k}:light-dark({light},{dark});" for k, (light, dark) in kept.items())
    return f".privopt-picture{{color-scheme:light dark;{variables}}}"
