"""A sheet: a view as a page in the style of the experiments' page, which works offline.

Pictures first, then what is claimed in a sentence for a layman, then the details: figures in large
type, tables, and the two claims with their grounds.

    publication("release.json")   the page of a file that may be published: public types alone,
                                  with what a ledger says of it, or UNCHECKED in large letters
    frontier_page(found)          that of a frontier, with its pictures; of plans it is private
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import privopt
from privopt.app.advice import Advice
from privopt.app.check import KINDS, Finding, Published, check, decision_beside, verdict
from privopt.app.frontier import Frontier
from privopt.claims.units import UnitLabels
from privopt.errors import InputError
from privopt.extra import library
from privopt.foreign import seen
from privopt.kernel.instrument import Instrument
from privopt.kernel.measurement import Measurement
from privopt.kernel.release import Release
from privopt.networks.network import Network
from privopt.networks.plotting import map_of
from privopt.recognise import use_of
from privopt.show.pictures.picture import Picture
from privopt.show.plainly import plainly
from privopt.show.view import PRIVATE, Table, View

__all__ = [
    "Stamp",
    "advice_page",
    "compared",
    "filled",
    "frontier_page",
    "page_of",
    "publication",
    "published",
    "sheet",
    "stamp_of",
]

_DIGITS = 8
_HOLDS = {True: "yes", False: "NO", None: "not compared"}
_TITLES = {"instrument": "What is measured"}
_WHAT = "is neither a release nor a measurement, nor another file to publish"
_UNCOUNTED = (
    "No ledger counted this release: what other releases about the same data cost is not known "
    "here."
)


@dataclass(frozen=True)
class Stamp:
    """A word in large letters, "good", "warn" or "bad", and what it means."""

    kind: str
    mark: str
    meaning: str


_UNCHECKED = Stamp(
    "warn",
    "UNCHECKED",
    "No ledger was named: nothing here was compared with one, and whoever wrote the file may have "
    "made it up. Whoever has the ledger can check it: privopt report FILE --ledger LEDGER.",
)


def sheet(
    view: View,
    pictures: tuple[Picture, ...] = (),
    stamp: Stamp | None = None,
    plain: tuple[str, ...] = (),
) -> str:
    """The page of a view as text. The same view gives the same text.

    Parameters
    ----------
    pictures
        What is shown first.
    stamp
        A word in large letters, above them.
    plain
        What is claimed, in sentences for a layman, below them.
    """
    facts = Table("", [one.name for one in view.facts], {"": [one.text for one in view.facts]})
    tables = [(table.title, table) for table in (view.table, *view.more) if len(table)]
    return filled(
        "sheet.html.jinja",
        view=view,
        pictures=pictures,
        stamp=stamp,
        plain=plain,
        private=PRIVATE,
        tables=[*tables[:1], *([("details", facts)] if len(facts) else []), *tables[1:]],
        digits=_DIGITS,
        version=privopt.__version__,
    )


def publication(
    path: Path | str, ledger: str | Path | None = None, network: Network | None = None
) -> str:
    """The page of a file of a release, instrument, measurement or decision.

    A decision on a network has its map; of other files, `network` has it.
    """
    found = published(path)
    return page_of(found, compared(found, ledger, path), network, path)


def published(path: Path | str) -> Published:
    """What a file holds that may be published."""
    source = Path(path)
    kind = KINDS.get(_kind(source))
    if kind is None:
        raise _neither(source, _WHAT)
    return kind.load(source)


def compared(
    found: Published, ledger: str | Path | None, path: Path | str | None = None
) -> tuple[Finding, ...] | None:
    """What a ledger says of it; None where none is named.

    A decided release is compared with the decision that lies beside its `path`.
    """
    if ledger is None:
        return None
    beside = None
    if isinstance(found, Release) and path is not None:
        beside = decision_beside(Path(path), found)
    return check(found, ledger, beside)


def stamp_of(found: Published, findings: tuple[Finding, ...] | None) -> Stamp | None:
    """Whether it was checked, in large letters; None of what no ledger counts."""
    if isinstance(found, Instrument):
        return None
    if findings is None:
        return _UNCHECKED
    sound = verdict(findings)
    told = "; ".join(f"{one.what}: {one.seen}" for one in findings if one.holds is sound)
    if sound is False:
        return Stamp("bad", "NOT CONFIRMED", f"This does not hold: {told}.")
    if sound is None:
        return Stamp("warn", "PARTLY CHECKED", f"The rest holds; not compared was: {told}.")
    return Stamp("good", "CHECKED", "Compared with the ledger that was named: see below.")


def page_of(
    found: Published,
    findings: tuple[Finding, ...] | None = None,
    network: Network | None = None,
    path: Path | str | None = None,
) -> str:
    """The page of something public, with what was found when it was compared with a ledger.

    A decided release has the map of the decision that lies beside its `path`, if that is the one.
    """
    view = found.view()
    if findings is not None:
        looked = Table(
            "",
            [one.what for one in findings],
            {
                "holds": [_HOLDS[one.holds] for one in findings],
                "seen": [one.seen for one in findings],
            },
            "compared with the ledger",
        )
        view = replace(view, more=(looked, *view.more))
    charged = found.release if isinstance(found, Measurement) else found
    if isinstance(charged, Release) and charged.ledger is None:
        view = replace(view, warnings=(*view.warnings, _UNCOUNTED))
    titled = replace(view, title=_TITLES.get(found.kind) or f"A private {found.kind}")
    drawn = () if isinstance(found, Measurement) and found.release is None else (found.plot(),)
    on_map = map_of(found, network)
    if on_map is None and isinstance(found, Release) and path is not None:
        beside = decision_beside(Path(path), found)
        if beside is not None and beside.release() == found:
            on_map = map_of(beside)
    pictures = drawn if on_map is None else (*drawn, on_map)
    said = () if view.guarantee is None else plainly(view.guarantee, _units(found))
    return sheet(titled, pictures, stamp_of(found, findings), said)


def _units(found: Published) -> UnitLabels | None:
    """What the private data are counted in."""
    if isinstance(found, Release):
        return found.units
    if isinstance(found, Measurement):
        return None if found.release is None else found.release.units
    return found.kernel.units if isinstance(found, Instrument) else found.program.units


def frontier_page(found: Frontier) -> str:
    """The page of a frontier: its pictures and its table."""
    return sheet(found.view(), found.pictures())


def advice_page(found: Advice) -> str:
    """The page of an advice: the verdict, cost and distance over epsilon, and what it rests on."""
    return sheet(found.view(), found.pictures())


def filled(template: str, **values: Any) -> str:  # noqa: ANN401 -- whatever it shows
    """A template of this folder with its values, our styles and our scripts."""
    library("jinja2", "report")
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, finalize=seen
    )
    environment.lstrip_blocks = True
    # The files are ours and hold no text from outside.
    source = {name: Markup(_source(f"page.{name}")) for name in ("css", "js")}  # noqa: S704
    return environment.from_string(_source(template)).render(source=source, **values)


def _source(name: str) -> str:
    return (files("privopt.report") / name).read_text(encoding="utf-8")


def _neither(path: Path, what: str) -> InputError:
    """It is something else: what, and what to do with it, if that can be told."""
    known = use_of(path)
    return InputError(
        f"{path} {what}{f': it is {known[0]}' if known else ''}.",
        "a file that `privopt release`, `choose`, `measure` or `decide` wrote, or an experiment's "
        "folder.",
        f"{known[1]}." if known else "check the path.",
    )


def _kind(path: Path) -> str:
    """What a file says that it is."""
    try:
        data: Any = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None)
        what = f"could not be read ({why})" if why else _WHAT
        raise _neither(path, what) from None
    found = cast("dict[str, Any]", data).get("privopt") if isinstance(data, dict) else None
    return found if isinstance(found, str) else ""
