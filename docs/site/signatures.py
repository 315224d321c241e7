"""Types and defaults on the reference pages are those of the signature: an extension of griffe.

Our docstrings describe parameters that belong together in one entry (`program, query, ...`). Griffe
gives all of them the type of the first; here each gets its own.
"""

from __future__ import annotations

from typing import Any

import griffe


class Signatures(griffe.Extension):
    """Set right what is described together, in all functions and classes of the package."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:  # noqa: ANN401 -- griffe's
        """Go through everything that is defined in it."""
        _walk(pkg)


def _walk(thing: griffe.Object) -> None:
    for member in thing.members.values():
        if isinstance(member, griffe.Alias):
            continue
        if isinstance(member, griffe.Function | griffe.Class) and member.docstring is not None:
            _correct(member, member.docstring)
        _walk(member)


def _correct(made: griffe.Function | griffe.Class, docstring: griffe.Docstring) -> None:
    own = {parameter.name: parameter for parameter in made.parameters}
    for section in docstring.parsed:
        if section.kind is not griffe.DocstringSectionKind.parameters:
            continue
        for described in section.value:
            if described.name in own:
                described.annotation = own[described.name].annotation
                default = own[described.name].default
                described.value = None if default is None else str(default)
