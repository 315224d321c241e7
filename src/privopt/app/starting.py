"""A job file to start from, with comments, and a data file to fill in.

of a network      runs as it is: the generator with the widest range is released
of a case file    has a "?" for the domain, which must not come from its private loads
of a program      has a "?" for alpha too: there only the curator can decide
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path

from privopt.app.source import Source, listed_network, source_of
from privopt.app.values import UNFILLED
from privopt.errors import InputError, NotImplementableError
from privopt.foreign import shown
from privopt.model.implementable import check_implementable
from privopt.model.program import ConvexProgram
from privopt.model.query import Identity
from privopt.networks import Network, load
from privopt.networks.rebased import POWERS

__all__ = ["network_job", "program_job"]

_LOOKED = 100  # variables that are tried for the query
_WIDTH = 30  # of an entry, before its comment
_LIST = 60  # of names in a comment
_UNIT = "MW"
_FEW = 60  # private entries, up to which it takes minutes at the most to choose what to measure


def network_job(
    name: str | Path, case: Path | None, data: Path | None, unit: str | None = None
) -> tuple[str, str]:
    """The text of the job of a PGLib network or of a case file, and its loads as a data file.

    `case` and `data` are how the job names the case file (None of a network) and that of data;
    `unit` is what the data are in, MW unless given.
    """
    unit = unit or _UNIT
    listed = isinstance(name, str)
    network = listed_network(name, "--network", "--case") if listed else load(name)
    program = network.program(unit=unit)
    widest, others = _widest(network, program)
    public = case is None
    text = _TEXT.format(
        first="It runs as it is." if public else _OPEN,
        name="loads",
        what="what is solved: the cheapest supply of all loads within the limits",
        program=(_NETWORK if public else _CASE).format(
            _entry("network", network.name) if public else _entry("case", str(case)),
            _entry("unit", unit),
        ),
        data=_section("data", data),
        whose=f"the loads; {'the network' if public else 'the case file'}'s own unless given",
        file=_file(data, "loads.csv"),
        line=f"lines such as demand[{network.buses.number[0]}],25.0; or a table of bus,{unit}",
        released=f"identity = [{quoted(widest)}]".ljust(_WIDTH),
        which="the supply of these generators. Others make up for the noise, here:",
        together=_names(others),
        alpha="alpha = 1.0".ljust(_WIDTH)
        if unit == _UNIT
        else _entry("alpha", f"1 {_UNIT}" if unit in POWERS else UNFILLED),
        hidden=f"a change of one load by up to this stays hidden: 1 {_UNIT}",
        domain=_AROUND
        if public
        else _ENDS.format("not from the private loads.", "a table by name"),
        design=_design(program, 0.01),
    )
    return text, _table(program.data_names, program.d.tolist())


def program_job(path: Path, named: Path, data: Path | None) -> tuple[str, str]:
    """The text of the job of a program file, and a data file with its private entries empty.

    `named` and `data` are how the job names the program file and that of data.
    """
    source = source_of({"file": str(path)})
    for name in (*source.program.names, *source.program.data_names):
        quoted(name)
    free = _releasable(source.program, path)
    private = list(source.program.private_names)
    first = private[0] if private else "name"
    public = f"not from the private data. {len(private)} private: {_names(private)}"
    text = _TEXT.format(
        first=_OPEN,
        name="data",
        what="what is solved",
        program=f"{_entry('file', str(named))} # everything but the private data",
        data=_section("data", data),
        whose="d",
        file=_file(data, "data.csv"),
        line=f"lines such as {_comment(f'{first},0.25')}, or JSON",
        released=f"identity = [{quoted(free[0])}]".ljust(_WIDTH),
        which="variables as they are. These could be released together:",
        together=_names(free),
        alpha=_entry("alpha", UNFILLED),
        hidden="FILL IN: a change of one private entry by up to this stays hidden",
        domain=_ENDS.format(public, f"{{ {_comment(quoted(first))} = 0.0 }}"),
        design=_design(source.program, 100.0),
    )
    return text, _table(source.program.data_names, _known(source))


def _design(program: ConvexProgram, fidelity: float) -> str:
    """How the release is made; what to measure is chosen where that takes minutes at the most."""
    weight = f"# fidelity = {fidelity}".ljust(_WIDTH)
    return _MEASURED.format(_CHOOSE if len(program.private) <= _FEW else _TOTAL, weight)


def _widest(network: Network, program: ConvexProgram) -> tuple[str, list[str]]:
    """The generator with the widest range, and the others that can vary."""
    units = range(len(network.generators))
    free = [j for j in units if program.upper[j] > program.lower[j]]
    if len(free) < 2:
        raise InputError(
            f"{network.name} has fewer than two generators that can vary.",
            "one to release, and another that answers the noise.",
            "start from another network, such as 14_ieee.",
        )
    widest = max(free, key=lambda j: float(program.upper[j] - program.lower[j]))
    return program.names[widest], [program.names[j] for j in free if j != widest]


def _releasable(program: ConvexProgram, path: Path) -> list[str]:
    """Names of variables that can be released together: other variables take up the noise."""
    varies = [j for j in range(program.n) if program.upper[j] > program.lower[j]][:_LOOKED]
    kept = tuple(range(len(varies)))
    if varies:
        query = Identity(varies)
        try:
            check_implementable(program, query.matrix(program), query.names(program))
        except NotImplementableError as error:
            kept = error.implementable
    if not kept:
        raise InputError(
            f"no variable of {path} can carry noise: the equalities or limits fix each.",
            "a program in which other variables can make up for a change of the released one.",
            "check the equalities G z = d of the program.",
        )
    return [program.names[varies[k]] for k in kept]


def _known(source: Source) -> list[float | None]:
    """The public entries of d as they are; None for those to be filled in."""
    private: set[int] = set(source.program.private.tolist())
    return [
        None if place in private or source.public is None else float(source.public[place])
        for place in range(len(source.program.data_names))
    ]


def _table(names: Iterable[str], values: Iterable[float | None]) -> str:
    """Lines name,value; those without a value are to be filled in."""
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(("name", "value"))
    for name, value in zip(names, values, strict=True):
        rows.writerow((name, "" if value is None else repr(float(value))))
    return written.getvalue()


def _section(name: str, used: object) -> str:
    return (f"[{name}]" if used is not None else f"# [{name}]").ljust(_WIDTH)


def _file(data: Path | None, usual: str) -> str:
    return f"{'# ' if data is None else ''}file = {quoted(str(data or usual))}".ljust(_WIDTH)


def _entry(name: str, value: str) -> str:
    return f"{name} = {quoted(value)}".ljust(_WIDTH)


def quoted(text: str) -> str:
    """A name or path as a TOML string; half a character, which TOML cannot hold, is refused."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{shown(text)} holds half a character (a lone surrogate), which no job file can hold.",
            "names and paths that are text (UTF-8).",
            "rename it.",
        ) from None
    return shown(json.dumps(text, ensure_ascii=False))  # TOML reads \\uXXXX back


def _comment(text: str) -> str:
    """A text that stays on its line, whatever a name holds."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _names(names: list[str]) -> str:
    """Names for a comment; the first few of many."""
    text = _comment(", ".join(names))
    return text if len(text) <= _LIST else f"{text[:_LIST].rpartition(',')[0]}, ... ({len(names)})"


_TEXT = """\
# A job of privopt: what is published of a solution, how privately, and how the limits are kept.
# {first} Each command reads it; a flag takes the place of an entry (--epsilon 0.5).
#
#   privopt advise job.toml --out advice.html      what to measure, what it costs: public
#   privopt check job.toml                         look at the private data, for yourself alone
#   privopt release job.toml --ledger {name}.ledger --limit 2.0 --key may --dry-run
#                                                  what it would cost and tell; nothing is charged
#   privopt release job.toml --ledger {name}.ledger --limit 2.0 --key may \\
#       --out release.json                         charge the ledger, measure, decide and publish
#   privopt decide job.toml --measurement release.measurement.json --eta 0.01 --out other.json
#                                                  decide again from the same measurement, free
#   privopt report release.json                    a page of the release, to publish
#   privopt frontier job.toml --over epsilon --from 0.2 --to 5 --out frontier.html
#   privopt solve job.toml                         instead: the paper's plan, its privacy assumed
#
# What follows a # is a comment, or an entry that is not in use. Paths start at this file's folder.

[program]                      # {what}
{program}

{data} # the private data: {whose}
{file} # {line}

[query]                        # what is published
{released} # {which}
#                                {together}
# sum = [["x", "y"]]           # or sums over groups of them
# linear = "S.csv"             # or any linear values S z of the solution z

[privacy]
noise = "laplace"              # or gaussian, or truncated; these need delta = 1e-6 too
epsilon = 1.0                  # privacy loss of one release: smaller is more private, and noisier
{alpha} # {hidden}

[feasibility]                  # how often the limits hold
kind = "exact-box"             # all limits together; always, with truncated noise
eta = 0.05                     # at most 5% of the releases may break a limit

[domain]                       # where private entries can lie: public; what lies outside is clamped
{domain}

{design}

# [ledger]                     # counts what all releases about these data cost together
# path = "{name}.ledger"
# limit = 2.0                  # the most that they may cost, in epsilon; for a new ledger
# key = "may"                  # names the release: asked again, it is the same, and free

[output]                       # what commands write, as --out; in this folder or below it
instrument = "{name}.instrument.json"
#                                what was chosen to measure: written once, then taken from there
# release = "release.json"     # `release`; its measurement and decision are written beside it
# page = "frontier.html"       # `frontier`
"""
_OPEN = 'Fill in what is "?".'
_NETWORK = """\
{} # a PGLib test network (`privopt networks` lists them); or instead:
# case = "mygrid.m"            # a MATPOWER file of your own, whose loads are private
# file = "program.json"        # any program: privopt.PublicProgram(program).save("program.json")
{} # of loads, alpha, the domain and what is released; or kW, GW, p.u."""
_CASE = """\
{} # a MATPOWER file of your own, whose loads are private; or instead:
# network = "14_ieee"          # a PGLib test network (`privopt networks` lists them)
# file = "program.json"        # any program: privopt.PublicProgram(program).save("program.json")
{} # of loads, alpha, the domain and what is released; or kW, GW, p.u."""
_AROUND = (
    "around = 0.1                   "
    "# 10% about the network's own loads; or lower = ... and upper = ..."
)
_ENDS = """\
#                                Take it {}
lower = "?"                    # FILL IN: least values, one number for all of them,
upper = "?"                    # FILL IN: and largest; or a list, {}, a file"""
_MEASURED = """\
[design]
mechanism = "measured"         # measure sums of the private data, then decide; or plan
{}
{} # a larger weight brings what is published nearer the true answer"""
_CHOOSE = """\
measure = "choose"             # the best of many sums, found once; or "total", "each", a zones.csv,
#                                or groups: [["demand", "other"], ["third"]]"""
_TOTAL = """\
measure = "total"              # or "each", groups, a zones.csv, or "choose": the best of many sums
#                                (found once, and kept; with so many entries that takes long)"""
