"""The page of the evidence: what was released when, for a reader without this software.

A picture of what was spent below the limit first, then the charges, the claims, what was recomputed
and audited, and what none of it covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from privopt.digits import up
from privopt.kernel.measurement import Measurement
from privopt.kernel.release import Release
from privopt.ledger.inspection import Event
from privopt.ledger.verification import Report
from privopt.mechanisms.measured.decision import Decision
from privopt.report.evidence.auditing import MEANING, AuditedMaker
from privopt.report.evidence.exhibits import Exhibit
from privopt.report.sheet import sheet
from privopt.show.pictures.curve import curve
from privopt.show.pictures.picture import Picture
from privopt.show.view import Fact, Table, View

__all__ = ["NOT_COVERED", "EvidenceStory", "page"]

NOT_COVERED = (
    "Who made this folder: whoever can write a folder can write all of it. A signature of "
    "manifest.json shows it (README.txt has the command that verifies one).",
    "Releases made without this ledger, with another ledger about the same data, or with a copy.",
    "Whether the curator ran this software, unchanged, on the data that it says: no file can show.",
    f"Whether the noise was drawn as stated. {MEANING}",
    "Side channels: run times, failures, what people say.",
    "People whose data are correlated, or changes beyond what neighbours are here.",
    "Claims whose privacy is ASSUMED or SAMPLED: they are as good as their grounds.",
    "Feasibility: it is promised to the operator, and is not recomputed here.",
)


@dataclass(frozen=True)
class EvidenceStory:
    """What the page tells.

    Attributes
    ----------
    report, neighbours, events
        Of the ledger: what `verify` found, whom epsilon speaks of, and all that happened.
    recomputed
        Lines of recompute.py: PASS, FAIL or NOTE, and what.
    """

    report: Report
    neighbours: str
    events: Sequence[Event]
    shown: Sequence[Exhibit]
    audits: Sequence[AuditedMaker]
    recomputed: Sequence[tuple[str, str]]
    versions: dict[str, str]
    made: str
    warnings: tuple[str, ...] = field(default=())


def page(story: EvidenceStory) -> str:
    """The page as text: it works offline and holds all it needs."""
    report, passed = story.report, [word for word, _ in story.recomputed]
    failed = passed.count("FAIL")
    verdict = f"{passed.count('PASS')} checks passed" if not failed else f"{failed} checks FAILED"
    view = View(
        f"Evidence for {report.dataset}",
        _charges(story),
        (
            Fact("spent", str(report.spent), f"ε {report.spent.epsilon:g}",
                 f"privacy loss of all releases together, of at most {report.limit.epsilon:g}"),
            Fact("charges", f"{report.charges}, {report.released} with an output",
                 str(report.charges), "charges in the ledger"),
            Fact("recomputed", verdict, verdict.split(" ", maxsplit=1)[0],
                 f"{verdict.split(' ', maxsplit=1)[1]} of an independent recomputation"),
            Fact("limit", str(report.limit)),
            Fact("neighbours", story.neighbours),
            Fact("head of the ledger", f"row {report.head[0]}, {report.head[1]}"),
            Fact("written", story.made),
            Fact("check it yourself", "sha256sum -c SHA256SUMS; python3 -I -S recompute.py"),
            *(Fact(name, text) for name, text in story.versions.items()),
        ),
        ("A charge is counted before the data are read, and stays counted whatever happens. "
         "Keys and stored outputs of the ledger are not handed out; their digests are.",),
        warnings=story.warnings,
        lead="What was published about a private dataset, when, and at which privacy loss epsilon: "
        "the smaller it is, the less can be learnt about one person. Each publication was charged "
        "to a ledger with a limit. Everything here can be checked with the files of this folder.",
        more=(_values(story), _claims(story), _audits(story), _outside(), _recomputed(story)),
    )  # fmt: skip
    return sheet(view, (_picture(story),))


def _picture(story: EvidenceStory) -> Picture:
    sums = [0.0, *(event.spent.epsilon for event in story.events if event.kind == "charge")]
    points = [(float(k), spent) for k, spent in enumerate(sums)]
    levels = [("limit", story.report.limit.epsilon)]
    caption = "Sum of the charges after each of them; dashed: the limit now in force."
    return curve(points, "charges so far", "epsilon", levels, name="What was spent",
                 caption=caption, counts=True)  # fmt: skip


def _charges(story: EvidenceStory) -> Table:
    charges = [event for event in story.events if event.kind == "charge"]
    asked = [event.request for event in charges]
    where = [[one.path for one in story.shown if event.row in one.rows] for event in charges]
    return Table(
        "row",
        [event.row for event in charges],
        {
            "when (UTC)": [event.time.replace("T", " ").rstrip("Z") for event in charges],
            "epsilon": [up(event.charge.epsilon, 6) for event in charges],
            "delta": [up(event.charge.delta, 6) for event in charges],
            "spent after it": [up(event.spent.epsilon, 6) for event in charges],
            "limit": [f"{event.limit.epsilon:g}" for event in charges],
            "by": ["redacted" if one is None else one.mechanism for one in asked],
            "privacy": ["" if one is None else one.provenance for one in asked],
            "maker": ["" if one is None else one.subject[:12] for one in asked],
            "output": ["released" if event.released else "none: burnt" for event in charges],
            "files": [", ".join(paths) or "not in this folder" for paths in where],
        },
        "what was released when",
    )


def _values(story: EvidenceStory) -> Table:
    """What was released: each value with its unit, as its file has it."""
    lines: list[tuple[str, str, float, str]] = []
    for one in story.shown:
        thing = one.thing.release if isinstance(one.thing, Measurement) else one.thing
        if isinstance(thing, Release | Decision):
            count = len(thing.names)
            units = ("",) * count if thing.units is None else thing.units.each(count)
            known = zip(thing.names, thing.values.tolist(), units, strict=True)
            lines += [(one.path, *value) for value in known]
    titles = ["name", "value", *(["unit"] if any(line[3] for line in lines) else [])]
    cells = {title: [line[k] for line in lines] for k, title in enumerate(titles, 1)}
    return Table("file", [line[0] for line in lines], cells, "released values")


def _claims(story: EvidenceStory) -> Table:
    """What each file claims of privacy and of feasibility."""
    lines: list[tuple[str, str, str, str]] = []
    for one in story.shown:
        thing = one.thing.release if isinstance(one.thing, Measurement) else one.thing
        if isinstance(thing, Release | Decision):
            for title, claim in thing.guarantee.both:
                said = claim.in_units(thing.units).statement
                lines.append((one.path, title, claim.label, said))
    cells = {
        "of": [line[1] for line in lines],
        "known as": [line[2] for line in lines],
        "claim": [line[3] for line in lines],
    }
    return Table("file", [line[0] for line in lines], cells, "what is claimed")


def _recomputed(story: EvidenceStory) -> Table:
    numbers = range(1, len(story.recomputed) + 1)
    columns = {
        "result": [word for word, _ in story.recomputed],
        "what": [what for _, what in story.recomputed],
    }
    return Table("", list(numbers), columns, "recomputed without privopt")


def _audits(story: EvidenceStory) -> Table:
    made = story.audits
    columns = {
        "result": ["REFUTED" if one.found.refuted else "not refuted" for one in made],
        "epsilon at least": [one.found.epsilon for one in made],
        "claimed": [one.found.claimed for one in made],
        "confidence": [one.found.confidence for one in made],
        "releases of each": [one.found.samples for one in made],
        "at": [one.pair.words for one in made],
    }
    rows = [f"{one.kind} {one.digest[:12]}" for one in made]
    return Table("maker", rows, columns, "audits")


def _outside() -> Table:
    numbers = list(range(1, len(NOT_COVERED) + 1))
    return Table("", numbers, {"": list(NOT_COVERED)}, "what is not covered")
