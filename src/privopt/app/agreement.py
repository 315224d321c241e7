"""A job beside a saved policy: what it says of the release must be what the policy was made for.

    job_beside(policy, "job.toml", {"epsilon": "0.2"})
    -> epsilon is 0.2 in the job, 1 in the policy

Program, query, noise and domain are in a policy and are compared. Feasibility and design are not:
what a file says of them was for the design, and a flag for them would do nothing, so it is refused.
All of this is public.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import scipy.sparse as sp

from privopt.app import parts
from privopt.app.ends import differing_domain
from privopt.app.job import Job, job_of
from privopt.app.options import CHOICES, schema
from privopt.app.schema import Key
from privopt.app.source import Source, source_of
from privopt.app.tree import Tree, check_domain_is_public, from_flags, from_toml, merged
from privopt.arrays import Sparse, Vector
from privopt.claims.units import unit_of
from privopt.errors import InputError
from privopt.foreign import some
from privopt.mechanisms.policy import Policy
from privopt.model.program import ConvexProgram
from privopt.noise.calibration import Privacy, asked

__all__ = ["job_beside"]

_CLOSE = 1e-9  # numbers that were computed twice
_DESIGN_ONLY = ("feasibility", "objective", "repeat", "design", "settings")
_PROTECTED = ("alpha", "owners", "change")
_PLAN_ONLY = (("privacy", "sensitivity"), ("query", "separate"))


@dataclass(frozen=True, repr=False)
class _Difference:
    """One thing that the job says otherwise: its section, in words, and its entry if it is one."""

    section: str
    words: str
    entry: str | None = None


def job_beside(
    policy: Policy,
    file: str | Path | None = None,
    flags: Mapping[str, str] | None = None,
    *,
    used: tuple[str, ...] = (),
    data_are_public: bool = False,
) -> Job:
    """The job as `read_job` reads it; refused where it says something else than the policy.

    A flag that would have no effect is refused too. `used` are sections that a policy does not hold
    and whose flags the command uses all the same.
    """
    given = from_flags(flags or {})
    _check_used(given, used)
    said = {} if file is None else from_toml(file)
    if not said.get("privacy"):  # what the job does not say is as in the policy
        said["privacy"] = _entries(policy.privacy)
    tree = merged(said, given)
    if not data_are_public:
        check_domain_is_public(tree)
    source = source_of(tree["program"]) if "program" in tree else None
    found = _differences(tree, source or Source(policy.program, None), policy)
    if found:
        raise InputError(
            "; ".join(one.words for one in found) + ".",
            "a job that says what the policy was designed for.",
            f"design again for this job (privopt design), or {_remedy(found, given)}.",
        )
    if source is None:  # a domain alone was compared; there is no program that it belongs to
        tree.pop("domain", None)
    return job_of(tree, file, source, policy.program)


def _check_used(flags: Tree, used: tuple[str, ...]) -> None:
    """Refuse flags that do nothing beside a policy."""
    idle = _flags(
        flags,
        lambda key: (
            (key.section in _DESIGN_ONLY and key.section not in used)
            or (key.section, key.name) in _PLAN_ONLY
        ),
    )
    if idle:
        raise InputError(
            f"{_listed(idle)} {'has' if len(idle) == 1 else 'have'} no effect beside --policy: the "
            "policy is designed already.",
            "flags that a saved policy leaves open, such as --data, --ledger and --out.",
            f"leave {_listed(idle)} out, or design again with privopt design.",
        )


def _remedy(found: list[_Difference], flags: Tree) -> str:
    """Leave out the flags that differ, and correct what the file says."""
    said = _flags(
        flags,
        lambda key: any(
            (one.section, one.entry or key.name) == (key.section, key.name) for one in found
        ),
    )
    left = [one for one in found if one.section not in flags or (
        one.entry is not None and one.entry not in flags[one.section]
    )]  # fmt: skip
    words = [f"leave {_listed(said)} out"] if said else []
    sections = dict.fromkeys(f"[{one.section}]" for one in left)
    words += [f"correct {_listed(list(sections))} of the job file"] if left else []
    return " and ".join(words)


def _flags(given: Tree, which: Callable[[Key], bool]) -> list[str]:
    """Some of the flags that were given, as they are written."""
    keys = (key for key in schema() if key.name in given.get(key.section, {}))
    return [f"--{key.flag}" for key in keys if which(key)]


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _differences(tree: Tree, source: Source, policy: Policy) -> list[_Difference]:
    """What the job says otherwise; of another program neither query nor domain is looked at."""
    found = _privacy(tree["privacy"], policy)
    other = _program(source.program, policy.program)
    if other is not None:
        return [_Difference("program", other), *found]
    if "query" in tree:
        found += _query(tree["query"], policy)
    if "domain" in tree:
        found += _domain(tree["domain"], source, policy)
    return found


def _entries(privacy: Privacy) -> dict[str, Any]:
    """The noise of a policy as entries of a job."""
    own = {name: getattr(privacy, name) for name in asked(type(privacy))}
    return {"noise": privacy.name} | own | privacy.neighbours.to_dict()


def _privacy(given: dict[str, Any], policy: Policy) -> list[_Difference]:
    family, privacy = CHOICES["privacy"].chosen(given), policy.privacy
    mine, yours = _entries(privacy), {"noise": family.name} | _usual(family) | given
    found: list[_Difference] = []
    for name, value in mine.items():
        same = name in _PROTECTED or name not in yours or _same_value(yours[name], value)
        if not same:
            words = f"{name} is {_shown(yours[name])} in the job, {_shown(value)} in the policy"
            found.append(_Difference("privacy", words, name))
    said = [name for name in _PROTECTED if name in given]
    return found + (_protected(given, said, policy) if said else [])


def _protected(given: dict[str, Any], said: list[str], policy: Policy) -> list[_Difference]:
    """Who is protected, where a job says something of it; what it does not say of alpha is so."""
    names, kept = policy.program.private_names, policy.privacy.neighbours
    entries = {"alpha": kept.to_dict()["alpha"], **{name: given[name] for name in said}}
    sites = parts.sites_of({"privacy": given}, policy.program)
    plain = {"noise": "laplace", "epsilon": 1.0, **entries}
    asked_ = parts.privacy_of(plain, names, policy.program, sites)
    job, size = asked_.aligned(names).neighbours, len(names)
    alphas = zip(job.alphas(size), kept.alphas(size), strict=True)
    if all(_same_value(one, other) for one, other in alphas) and (
        (job.owners, job.change) == (kept.owners, kept.change)
    ):
        return []
    if job.plain and kept.plain:
        alpha = f"alpha is {_shown(job.largest)} in the job, {_shown(kept.largest)} in the policy"
        return [_Difference("privacy", alpha, "alpha")]
    words = f"neighbours are {job.words} in the job, {kept.words} in the policy"
    if job.words == kept.words:
        words += " (of other owners or alphas)"
    return [_Difference("privacy", words, said[0])]


def _usual(family: type[Privacy]) -> dict[str, Any]:
    """What a job need not say of some noise."""
    fields = {item.name: item.default for item in dataclasses.fields(cast("Any", family))}
    usual = {name: fields[name] for name in asked(family)}
    return {name: value for name, value in usual.items() if value is not dataclasses.MISSING}


def _same_value(one: Any, other: Any) -> bool:  # noqa: ANN401 -- a word or a number
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return math.isclose(one, other, rel_tol=_CLOSE)


def _shown(value: Any) -> str:  # noqa: ANN401 -- a word or a number
    return value if isinstance(value, str) else f"{value:.10g}"


def _program(job: ConvexProgram, policy: ConvexProgram) -> str | None:
    """Where two programs differ, in words."""
    for what, mine, yours in (
        ("variables", job.names, policy.names),
        ("entries of d", job.data_names, policy.data_names),
        ("private entries", job.private_names, policy.private_names),
    ):
        if mine != yours:
            return (
                f"the program has the {what} {_names(mine, yours)} in the job, "
                f"{_names(yours, mine)} in the policy"
            )
    units = [unit_of(one) or "no unit" for one in (job, policy)]
    if units[0] != units[1]:
        return f"the program is in {units[0]} in the job, in {units[1]} in the policy"
    for names, same in ((("linear", "b", "lower", "upper"), _same_vector),
                        (("quadratic", "A", "G"), _same_matrix)):  # fmt: skip
        for name in names:
            if not same(getattr(job, name), getattr(policy, name)):
                return f"{name} of the program is another in the job than in the policy"
    return None


def _names(mine: tuple[str, ...], yours: tuple[str, ...]) -> str:
    """The first few names, those first that the other does not have."""
    known = set(yours)
    return f"{some(sorted(mine, key=known.__contains__))} ({len(mine)})"


def _same_vector(one: Vector, other: Vector) -> bool:
    return one.shape == other.shape and np.allclose(one, other, rtol=_CLOSE, atol=0.0)


def _same_matrix(one: Sparse, other: Sparse) -> bool:
    if one.shape != other.shape:
        return False
    apart = sp.csr_array(one - other)
    size = float(np.abs(other.data).max(initial=0.0))
    return bool(np.abs(apart.data).max(initial=0.0) <= _CLOSE * size)


def _query(entries: dict[str, Any], policy: Policy) -> list[_Difference]:
    query = parts.query_of(entries)
    S, names = query.matrix(policy.program), query.names(policy.program)
    if names != policy.names:
        words = f"the query is {some(names)} in the job, {some(policy.names)} in the policy"
    elif not _same_matrix(S, policy.S):
        words = f"the query {some(names)} adds up other variables in the job than in the policy"
    else:
        return []
    return [_Difference("query", words)]


def _domain(entries: dict[str, Any], source: Source, policy: Policy) -> list[_Difference]:
    given = parts.domain_of(entries, source).ends(policy.program.private_names)
    names, grain = list(policy.program.private_names), policy.privacy.neighbours.grain
    words = differing_domain(given, policy.domain, grain, names, "policy")
    return [] if words is None else [_Difference("domain", words)]
