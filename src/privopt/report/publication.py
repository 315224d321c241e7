"""The page of a release or of a policy, for publication. Only public types are taken.

write_publication("release.json")   ->   release.html beside it
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from privopt.digits import exactly, up
from privopt.errors import InputError
from privopt.files import write_whole
from privopt.kernel.release import Release
from privopt.mechanisms.policy import Policy
from privopt.recognise import use_of
from privopt.report.settings import Grid
from privopt.report.sheet import Sheet, render

__all__ = ["policy_sheet", "publication", "release_sheet", "write_publication"]

_KINDS: dict[str, type[Release] | type[Policy]] = {"release": Release, "policy": Policy}


def publication(path: Path | str) -> str:
    """The page of a release or policy file."""
    source = Path(path)
    kind = _KINDS.get(_kind(source))
    if kind is None:
        raise _neither(source, "is neither a release nor a policy")
    found = kind.load(source)
    return render(release_sheet(found) if isinstance(found, Release) else policy_sheet(found))


def write_publication(path: Path | str, out: Path | str | None = None) -> Path:
    """Write the page of a release or policy file; beside it unless said otherwise."""
    source = Path(path)
    target = source.with_suffix(".html") if out is None else Path(out)
    page = publication(source)
    try:
        write_whole(target, page.encode("utf-8", "replace"))
    except OSError as error:
        raise InputError(
            f"{target} could not be written ({error.strerror}).",
            "a folder that may be written to.",
            "choose another path with --out.",
        ) from None
    return target


def release_sheet(release: Release) -> Sheet:
    """What was released, what it cost, what is claimed, and which ledger counted it."""
    width = "none" if release.exponent is None else f"2^{release.exponent}"
    values = tuple(
        (name, (f"{value:.8g}",)) for name, value in zip(release.names, release.values, strict=True)
    )
    entry = release.ledger
    counted = (
        (("ledger", ("none",)),)
        if entry is None
        else (
            ("dataset", (entry.dataset,)),
            ("row", (str(entry.row),)),
            ("digest", (entry.digest,)),
            ("charged", (f"epsilon {entry.epsilon}, delta {entry.delta}",)),
        )
    )
    made = (
        ("mechanism", (release.mechanism,)),
        ("noise scale", (f"{release.scale:.6g}",)),
        ("grid", (width,)),
        ("charge", (f"epsilon {up(release.epsilon, 10)}, delta {up(release.delta, 6)}",)),
    )
    known = release.guarantee.privacy.label.lower()
    notices = () if entry is not None else (
        "No ledger counted this release: what other releases about the same data cost is not known "
        "here.",
    )  # fmt: skip
    return Sheet(
        title="A private release",
        lead="Values of a solution, published with differential privacy: noise was added so "
        f"that a change of one private entry by up to {exactly(release.alpha)} stays hidden.",
        notices=notices,
        facts=(
            (f"ε = {up(release.epsilon, 4)}", f"privacy loss of this release, {known}"),
            (up(release.delta, 6), "δ"),
            (str(len(release.names)), "values released"),
            (f"{release.scale:.3g}", "scale of the noise"),
        ),
        guarantee=release.guarantee,
        tables=(
            Grid("released values", ("value",), values),
            Grid("how it was made", (), made),
            Grid("ledger", (), counted),
        ),
    )  # fmt: skip


def policy_sheet(policy: Policy) -> Sheet:
    """What a policy releases for any data of its domain, at which cost and noise."""
    noise = policy.calibration
    lower, upper = policy.domain
    names = list(policy.program.private_names)
    domain = tuple(
        (name, (f"{low:.6g}", f"{high:.6g}"))
        for name, low, high in zip(names, lower, upper, strict=True)
    )
    scale = "none" if noise is None else f"{noise.scale:.6g}"
    released = tuple((name, (scale,)) for name in policy.names)
    constant = (
        "This policy releases a constant: it is private, costs nothing, and carries no information "
        "on the data.",
    )
    return Sheet(
        title="A private policy",
        lead="A rule, made from public data alone, that says what is released for any data of a "
        "public domain. Its privacy holds for every pair of neighbours: "
        f"{policy.privacy.describe()} for a change of one private entry by up to "
        f"{exactly(policy.privacy.alpha)}.",
        notices=constant if noise is None else (),
        facts=(
            (f"ε = {up(0.0 if noise is None else noise.epsilon, 4)}", "charge of each release"),
            (f"{100 * policy.loss:.3g} %", "expected extra cost over the domain"),
            (f"{policy.distance:.3g}", "expected distance of a release from the true answer"),
            (f"{policy.sensitivity:.3g}", "noise level s"),
        ),
        guarantee=policy.guarantee,
        tables=(
            Grid("what is released", ("scale of the noise",), released),
            Grid("domain", ("least", "largest"), domain),
        ),
    )


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
