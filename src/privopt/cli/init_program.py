"""The job file of a program: its names in the query, and "?" where only the curator can decide."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

from privopt.app.values import UNFILLED
from privopt.errors import InputError, NotImplementableError
from privopt.foreign import shown

if TYPE_CHECKING:
    from privopt.app.source import Source
    from privopt.model.program import ConvexProgram

__all__ = ["program_job", "quoted"]

_LOOKED = 100  # variables that are tried for the query
_WIDTH = 30  # of an entry, before its comment
_LIST = 60  # of names in a comment


def program_job(path: Path, named: Path, data: Path | None) -> tuple[str, str]:
    """The text of the job, and a file of data with an empty value for each private entry.

    Parameters
    ----------
    path, named
        The program file, and how the job names it.
    data
        The file of data as the job names it, if there is one.
    """
    from privopt.app.source import source_of

    source = source_of({"file": str(path)})
    for name in (*source.program.names, *source.program.data_names):
        quoted(name)
    free = _releasable(source.program, path)
    private = list(source.program.private_names)
    text = _TEXT.format(
        program=_entry("file", str(named)),
        data="# [data]  " if data is None else "[data]    ",
        file=("# " if data is None else "") + _entry("file", str(data or "data.csv")),
        line=_comment(f"{private[0] if private else 'name'},0.25"),
        released=f"identity = [{quoted(free[0])}]".ljust(_WIDTH),
        together=_names(free),
        alpha=_entry("alpha", UNFILLED),
        lower=_entry("lower", UNFILLED),
        upper=_entry("upper", UNFILLED),
        count=len(private),
        private=_names(private),
        one=_comment(quoted(private[0] if private else "name")),
    )
    return text, _table(source)


def _releasable(program: ConvexProgram, path: Path) -> list[str]:
    """Names of variables that can be released together: other variables take up the noise."""
    from privopt.model.implementable import check_implementable
    from privopt.model.query import Identity

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


def _table(source: Source) -> str:
    """Lines name,value: public entries as they are, private ones to be filled in."""
    program = source.program
    private: set[int] = set(program.private.tolist())
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(("name", "value"))
    for place, name in enumerate(program.data_names):
        known = None if place in private or source.public is None else source.public[place]
        rows.writerow((name, "" if known is None else repr(float(known))))
    return written.getvalue()


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
# Fill in what is "?": no program can tell it. Each command reads this file; a flag takes the place
# of an entry (--epsilon 0.5).
#
#   privopt design job.toml --out policy.json      make a policy, from public data alone
#   privopt verify --policy policy.json            simulate it: how often does a limit break?
#   privopt release job.toml --policy policy.json --ledger data.ledger --limit 2.0 --key may \\
#       --dry-run --reveal                         check all of it, charge and release nothing
#   privopt release job.toml --policy policy.json --ledger data.ledger --limit 2.0 --key may \\
#       --out release.json                         charge the ledger, then read the data and publish
#   privopt report release.json                    a page of the release, to publish
#
# What follows a # is a comment, or an entry that is not in use. Paths start at this file's folder.

[program]                      # what is solved
{program} # everything but the private data

{data}                     # the private data d; design does not read them
{file} # lines such as {line}, or JSON

[query]                        # what is published
{released} # variables as they are. These could be released together:
#                                {together}
# sum = [["x", "y"]]           # or sums over groups of them
# linear = "S.csv"             # or any linear values S z of the solution z

[privacy]
noise = "laplace"              # or gaussian, or truncated; these need delta = 1e-6 too
epsilon = 1.0                  # privacy loss of one release: smaller is more private, and noisier
{alpha} # FILL IN: a change of one private entry by up to this stays hidden

[feasibility]                  # how often the limits hold
kind = "exact-box"             # all together; joint too (cheaper, needs beta); analytic: each alone
eta = 0.05                     # at most 5% of the releases may break a limit

[domain]                       # where the private entries can lie; what lies outside is clamped
#                                Public: do not take it from the private data. {count} private:
#                                {private}
{lower} # FILL IN: least values, one number for all of them,
{upper} # FILL IN: and largest; or a list, {{ {one} = 0.0 }}, a file

[design]
floor = 1.0                    # least noise, 1 is the paper's; without it the cheapest release is
#                                often a constant, which is private and tells nothing
# within = 0.05                # or the largest expected distance from the true answer

# [ledger]                     # counts what all releases about these data cost together
# path = "data.ledger"
# limit = 2.0                  # the most that they may cost, in epsilon; for a new ledger
# key = "may"                  # names the release: asked again, it is the same, and free

# [output]                     # what commands write, as --out; in this folder or below it
# policy = "policy.json"       # `design`
# release = "release.json"     # `release`
# page = "frontier.html"       # `frontier`
"""
