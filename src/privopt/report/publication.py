"""The page of a release or of a policy, for publication. Only public types are taken.

publication("release.json")   ->   the text of the page; `privopt report` writes it
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from privopt.errors import InputError
from privopt.kernel.release import Release
from privopt.mechanisms.policy import Policy
from privopt.recognise import use_of
from privopt.report.sheet import sheet

__all__ = ["page_of", "publication"]

_KINDS: dict[str, type[Release] | type[Policy]] = {"release": Release, "policy": Policy}
_UNCOUNTED = (
    "No ledger counted this release: what other releases about the same data cost is not known "
    "here."
)


def publication(path: Path | str) -> str:
    """The page of a release or policy file."""
    source = Path(path)
    kind = _KINDS.get(_kind(source))
    if kind is None:
        raise _neither(source, "is neither a release nor a policy")
    return page_of(kind.load(source))


def page_of(found: Release | Policy) -> str:
    """The page of a release or of a policy."""
    view = found.view()
    if isinstance(found, Release) and found.ledger is None:
        view = replace(view, warnings=(_UNCOUNTED,))
    return sheet(replace(view, title=f"A private {view.title.lower()}"))


def _neither(path: Path, what: str) -> InputError:
    """It is something else: what, and what to do with it, if that can be told."""
    known = use_of(path)
    return InputError(
        f"{path} {what}{f': it is {known[0]}' if known else ''}.",
        "a file that `privopt release` or `privopt design` wrote, or an experiment's folder.",
        f"{known[1]}." if known else "check the path.",
    )


def _kind(path: Path) -> str:
    """What a file says that it is."""
    try:
        data: Any = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None)
        if why is None:
            raise _neither(path, "is neither a release nor a policy") from None
        raise _neither(path, f"could not be read ({why})") from None
    found = cast("dict[str, Any]", data).get("privopt") if isinstance(data, dict) else None
    return found if isinstance(found, str) else ""
