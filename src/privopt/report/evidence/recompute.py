"""Recompute what this folder claims, with nothing but Python's standard library.

    python3 -I -S recompute.py          in the folder, or:  recompute.py FOLDER

No file of privopt is used. Each line says PASS, FAIL or NOTE (not recomputed, and why); the exit
code is 1 if a line fails. What is looked at:

1. Files: every file has the SHA-256 of manifest.json, and there is no other.
2. Ledger: the chain of ledger.jsonl, its sums, the limit at each charge, the head.
3. Instruments. What is released is  y = (offset + M u) + noise,  u = d rounded to the
   grid 2^-coarse and clamped to [low, high]; M, offset, low and high are integers in the file. How
   far y can move between neighbours is recomputed in exact fractions, and from it the epsilon:

       Delta = largest change of M u for the entries of one owner, and the rounding of y
       Laplace            epsilon = Delta / scale
       truncated Laplace  the same; delta as asked, if Delta / scale <= epsilon as asked (the noise
                          is cut at B = scale ln(1 + (e^epsilon - 1) / (2 delta)))
       Gaussian           rho = (Delta / scale)^2 / 2, and for any a > 1 (Canonne, Kamath, Steinke)
                          delta <= exp((a - 1)(a rho - epsilon)) / (a - 1) * (1 - 1/a)^a

   The noise is drawn on a grid that y lies on, so these hold as they stand.
4. Releases and measurements: each is the output of its charge in the ledger, was made by the
   instrument whose digest it names, and its epsilon and charge cover what is recomputed.

Not looked at: whether the curator ran this program on these data, whether the noise was drawn as
stated (an audit tests that), other releases outside of this ledger, and any claim of feasibility.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

UNITS = {"epsilon": 10**30, "delta": 10**60}  # of amounts in the ledger
BESIDE = ("comparison", "parts")
SEALS = ("manifest.json", "SHA256SUMS", "manifest.json.sig")
ORDER = {"Laplace": 1, "TruncatedLaplace": 1, "Gaussian": 2}  # the norm of Delta
found: list[tuple[str, str]] = []


def say(holds: bool | None, what: str) -> None:
    """One line: PASS, FAIL, or NOTE of what is not recomputed."""
    found.append(({True: "PASS", False: "FAIL", None: "NOTE"}[holds], what))


def sha(data: bytes) -> str:
    """SHA-256."""
    return hashlib.sha256(data).hexdigest()


def canonical(data: Any) -> bytes:  # noqa: ANN401 -- plain data
    """The one text of plain data that digests are of."""
    return json.dumps(data, sort_keys=True, separators=(",", ":")).encode()


def record(data: dict[str, Any]) -> dict[str, Any]:
    """A file without what is beside its record: how an instrument was chosen, and its parts."""
    return {name: value for name, value in data.items() if name not in BESIDE}


def digest(data: dict[str, Any]) -> str:
    """By which ledgers and other records know it."""
    return sha(canonical(record(data)))


# 1. Files


def check_files(folder: Path) -> dict[str, Any]:
    """The manifest, with which all files are compared."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    listed = {one["path"]: one["sha256"] for one in manifest["files"]}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    changed = [p for p in listed if p in there and sha((folder / p).read_bytes()) != listed[p]]
    lost, more = sorted(set(listed) - there), sorted(there - set(listed) - set(SEALS))
    say(
        not (changed or lost or more),
        "every file has the SHA-256 of the manifest"
        + "".join(
            f"; {word}: {which}"
            for word, which in (("CHANGED", changed), ("MISSING", lost), ("NOT LISTED", more))
            if which
        ),
    )
    return manifest


# 2. Ledger


def check_ledger(folder: Path, manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows; the chain and the sums are checked."""
    rows = [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]
    before: dict[str, Any] = {}
    bad: list[int] = []
    outputs: set[int] = set()
    withheld = 0
    for number, row in enumerate(rows, 1):
        digest = {k: v for k, v in row.items() if k not in ("digest", "key", "request", "output")}
        withheld += "withheld" in row
        request = row.get("request")
        sound = (
            row["seq"] == number
            and row["previous"]["hex"] == (before["digest"]["hex"] if before else "00" * 32)
            and ("withheld" in row or sha(canonical(digest)) == row["digest"]["hex"])
            and (request is None or sha(request.encode()) == row["request_digest"]["hex"])
        )
        for part in UNITS:
            charge, spent = int(row[part]), int(row[f"spent_{part}"])
            limit = int(row[f"limit_{part}"])
            sound = sound and charge >= 0 and (charge == 0 or row["kind"] == "charge")
            sound = sound and spent == charge + int(before.get(f"spent_{part}", 0))
            free = row["kind"] in ("opened", "limit")
            sound = sound and (free or limit == int(before[f"limit_{part}"]))
            if row["kind"] == "charge" and (int(row["epsilon"]) or int(row["delta"])):
                sound = sound and spent <= limit
            if row["kind"] == "charge" and request is not None:
                sound = sound and Fraction(charge, UNITS[part]) >= cost(json.loads(request), part)
        if row["kind"] == "output":
            earlier = 1 <= row["of"] < number and rows[row["of"] - 1]["kind"] == "charge"
            sound = sound and earlier and row["of"] not in outputs
            outputs.add(row["of"])
        if not sound:
            bad.append(number)
        before = row
    say(
        not bad,
        f"ledger: chain, sums and limit of {len(rows)} rows"
        + (f"; first bad row: {bad[0]}" if bad else ""),
    )
    if withheld:
        say(
            None,
            f"ledger: {withheld} rows without the name of a person: the digests of these "
            "rows are linked, not recomputed",
        )
    head = rows[-1]["digest"]["hex"]
    say(manifest["head"] == [len(rows), head], f"ledger: ends with the stated head, {head[:16]}...")
    asked = [json.loads(row["request"]) for row in charges(rows) if "request" in row]
    same = {(one["alpha"], one["private"], one.get("relation", "")) for one in asked}
    say(len(same) <= 1, "ledger: all charges are for the same neighbours")
    return rows


def charges(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that charge something."""
    return [row for row in rows if row["kind"] == "charge"]


def cost(request: dict[str, Any], part: str) -> Fraction:
    """What a request costs: as asked (a decimal), or what its noise costs, if that is more."""
    return max(Fraction(request[part]), Fraction(request[f"own_{part}"] or 0))


# 3. Instruments


def owners(noise: dict[str, Any], size: int) -> list[list[int]]:
    """The entries that may change together."""
    whose = noise.get("owners")
    if whose is None:
        whose = [0] * size if noise.get("change") == "total" else range(size)
    return [[j for j in range(size) if whose[j] == one] for one in dict.fromkeys(whose)]


def alphas(noise: dict[str, Any], size: int) -> list[Fraction]:
    """The change of each entry that is hidden: the decimal as written, or its float if more."""
    given: Any = noise["alpha"]
    each = [given] * size if isinstance(given, int | float) else given
    return [max(Fraction(a), Fraction(repr(float(a)))) for a in each]


def norm(values: list[int], order: int) -> int:
    """The norm of integers; of order 2 rounded up."""
    return sum(map(abs, values)) if order == 1 else math.isqrt(sum(v * v for v in values)) + 1


def moved(file: dict[str, Any], order: int) -> Fraction:
    """Delta: how far y can lie apart for neighbours, with all roundings."""
    noise, it = file["noise"], file["map"]
    low, high, matrix, two = it["low"], it["high"], it["matrix"], Fraction(2)
    grid, size, p = two ** it["coarse"], len(it["low"]), len(it["offset"])
    # Data are floats: what conversion moves at the far end of the box comes on top of alpha.
    ulp = Fraction(math.ulp(max(abs(float(v / grid)) for v in (*low, *high))))
    alpha = alphas(noise, size)
    # Two numbers at most x apart are, rounded to a grid, at most floor(x) + 1 steps apart.
    steps = [
        min(math.floor((a + ulp) * grid) + 1, end - start) if a else 0
        for a, start, end in zip(alpha, low, high, strict=True)
    ]
    most = Fraction(0)
    for own in owners(noise, size):
        each = norm([sum(abs(row[j]) * steps[j] for j in own) for row in matrix], order)
        apart = Fraction(each)
        if noise.get("change") == "total":  # the changes, as parts of alpha, add up to one
            size_of = {j: norm([row[j] for row in matrix], order) for j in own if steps[j]}
            largest = max((size_of[j] * alpha[j] * grid for j in size_of), default=Fraction(0))
            apart = min(apart, largest + sum(size_of.values()) * (1 + ulp * grid))
        most = max(most, apart)
    unit = two ** -(it["fine"] + it["coarse"])
    # y is rounded to the grid of its noise, or to that of floats of its size: one step a value.
    ends = [max(abs(start), abs(end)) for start, end in zip(low, high, strict=True)]
    bound = (
        max(
            abs(o) + sum(abs(m) * e for m, e in zip(row, ends, strict=True))
            for o, row in zip(it["offset"], matrix, strict=True)
        )
        * unit
    )
    k = max(file["calibration"]["exponent"], math.frexp(up(bound))[1] - 53)
    return most * unit + (p if order == 1 else math.isqrt(p) + 1) * two**k


def up(value: Fraction) -> float:
    """The smallest float that is not below."""
    near = float(value)
    return near if Fraction(near) >= value else math.nextafter(near, math.inf)


def gaussian_delta(rho: Fraction, epsilon: float) -> Decimal:
    """A delta that goes with epsilon, by the best a of a search: every a > 1 proves one."""

    def log(t: float) -> float:  # of the bound at a = 1 + e^t
        a, r = 1 + math.exp(t), float(rho)
        return (a - 1) * (a * r - epsilon) - t + a * math.log1p(-1 / a)

    best = min((k / 50 for k in range(-1000, 1500)), key=log)
    low, high = best - 0.02, best + 0.02
    for _ in range(200):
        third = (high - low) / 3
        low, high = (
            (low, high - third) if log(low + third) < log(high - third) else (low + third, high)
        )
    with localcontext() as context:
        context.prec = 60
        a = 1 + Decimal(math.exp((low + high) / 2))
        r = Decimal(rho.numerator) / Decimal(rho.denominator)
        power = (a - 1) * (a * r - Decimal(epsilon)) + a * (1 - 1 / a).ln()
        return power.exp() / (a - 1)


def is_whole(file: dict[str, Any]) -> bool:
    """Whether map and noise are of the kinds that the rest takes them for."""
    it, made = file["map"], file["calibration"]
    numbers = [v for row in (*it["matrix"], it["offset"], it["low"], it["high"]) for v in row]
    sizes = {len(row) for row in (*it["matrix"], it["low"], it["high"])}
    return (
        all(type(v) is int for v in (*numbers, it["fine"], it["coarse"]))
        and len(sizes) == 1
        and len(it["matrix"]) == len(it["offset"])
        and all(start <= end for start, end in zip(it["low"], it["high"], strict=True))
        and min(alphas(file["noise"], len(it["low"]))) >= 0
        and file["noise"].get("change", "each") in ("each", "total")
        and (made is None or made["scale"] > 0)
    )


def check_maker(name: str, file: dict[str, Any]) -> Fraction | None:
    """Delta / scale of an instrument, compared with its claims; None without noise."""
    noise, made, kind = file["noise"], file["calibration"], file["noise"]["kind"]
    say(is_whole(file), f"{name}: the map is of integers, alpha and scale are positive")
    if made is None:
        say(
            not any(v for row in file["map"]["matrix"] for v in row),
            f"{name}: a constant: nothing of d is in it, epsilon 0",
        )
        return None
    if kind not in ORDER:
        say(None, f"{name}: noise {kind} is not known here: NOT RECOMPUTED")
        return None
    Delta = moved(file, ORDER[kind])
    say(
        Fraction(made["sensitivity"]) >= Delta,
        f"{name}: sensitivity recomputed {float(Delta):.12g}, claimed {made['sensitivity']:.12g}",
    )
    ratio, epsilon, delta = Delta / Fraction(made["scale"]), made["epsilon"], made["delta"]
    if kind == "Gaussian":
        least = gaussian_delta(ratio**2 / 2, epsilon)
        say(
            least <= Decimal(delta),
            f"{name}: at epsilon {epsilon:.12g} delta recomputed "
            f"{float(least):.6g}, claimed {delta:.6g}",
        )
        return ratio
    say(
        ratio <= Fraction(epsilon),
        f"{name}: epsilon recomputed {float(ratio):.12g}, claimed {epsilon:.12g}",
    )
    if kind == "TruncatedLaplace":
        say(
            ratio <= Fraction(noise["epsilon"]) and delta >= noise["delta"],
            f"{name}: delta {delta:.6g} for noise cut at B (the file does not hold B)",
        )
    return ratio


# 4. Releases


def check_release(
    name: str,
    release: dict[str, Any],
    rows: list[dict[str, Any]],
    makers: dict[str, tuple[dict[str, Any], Fraction | None]],
) -> None:
    """Whether a release is what the ledger counted, and as private as it says."""
    entry, known = release["ledger"], release["mechanism"] == "measurement"
    if entry is None:
        say(False, f"{name}: no ledger counted it")
        return
    number = entry["row"]
    row = {one["seq"]: one for one in charges(rows)}.get(number)
    if row is None or {"hex": entry["digest"]} != row["digest"]:
        say(False, f"{name}: row {number} of the ledger is not its charge")
        return
    stored = [
        r["output_digest"]["hex"] for r in rows if r["kind"] == "output" and r["of"] == number
    ]
    mine = digest({"privopt": "release", "version": 3, **release})
    say([mine] == stored, f"{name}: it is the output of row {number}, by its digest")
    if "date" in release:
        say(
            release["date"] == row["time"], f"{name}: its date is that of its charge, {row['time']}"
        )
    paid = {part: Fraction(int(row[part]), UNITS[part]) for part in UNITS}
    say(
        all(paid[part] >= Fraction(release[part]) for part in UNITS),
        f"{name}: charged epsilon {float(paid['epsilon']):.12g}, delta {float(paid['delta']):.6g}",
    )
    subject = (
        json.loads(row["request"])["subject"] if "request" in row else release.get("maker", "")
    )
    if release["maker"]:
        say(release["maker"] == subject, f"{name}: made by {subject[:16]}..., as the ledger says")
    if not known or subject not in makers:
        why = "its file is not in the folder" if known else "the privacy of a plan is not proven"
        say(None, f"{name}: epsilon {release['epsilon']:.12g} NOT RECOMPUTED: {why}")
        return
    file, ratio = makers[subject]
    made = file["calibration"]
    if made is None or ratio is None:
        return
    enough = all(Fraction(release[part]) >= Fraction(made[part]) for part in UNITS)
    if file["noise"]["kind"] != "Gaussian":
        enough = enough and Fraction(release["epsilon"]) >= ratio
    say(
        enough and release["scale"] == made["scale"] and release["names"] == file["names"],
        f"{name}: names, scale, epsilon and delta are those recomputed of {subject[:16]}...",
    )
    if release["exponent"] is not None:
        cells = [Fraction(v) / Fraction(2) ** release["exponent"] for v in release["values"]]
        say(all(cell.denominator == 1 for cell in cells), f"{name}: its values lie on their grid")


def check_decided(
    name: str,
    release: dict[str, Any],
    measured: dict[str, dict[str, Any]],
    decisions: dict[str, dict[str, Any]],
) -> None:
    """Whether a decided release costs what its measurements did, and has a decision's values."""
    rests = release["rests_on"]
    if not set(rests) <= set(measured):
        say(None, f"{name}: NOT RECOMPUTED: what it was decided from is not in the folder")
        return
    total = {part: sum(Fraction(measured[d]["release"][part]) for d in rests) for part in UNITS}
    say(
        all(Fraction(release[part]) * (1 + Fraction(1, 2**40)) >= total[part] for part in UNITS),
        f"{name}: decided from {len(rests)} measurements of the folder, and costs what they did",
    )
    made = decisions.get(release["maker"])
    same = ("values", "names")
    say(
        None if made is None else [made[one] for one in same] == [release[one] for one in same],
        f"{name}: its values are those of {'NO' if made is None else 'its'} decision in the folder",
    )


def check_all(folder: Path) -> None:
    """Everything, in order."""
    rows = check_ledger(folder, check_files(folder))
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.glob("*s/*.json"))
    }
    data = {name: json.loads(raw) for name, raw in files.items()}
    makers: dict[str, tuple[dict[str, Any], Fraction | None]] = {}
    subjects = {json.loads(row["request"])["subject"] for row in charges(rows) if "request" in row}

    def maker(name: str, file: dict[str, Any], digest: str) -> None:
        if digest not in makers:
            makers[digest] = file, check_maker(name, file)

    measured: dict[str, dict[str, Any]] = {}
    digests: dict[str, dict[str, Any]] = {}
    for name, one in data.items():
        parts = one.get("parts", {})
        wrong = [named for named, part in parts.items() if named != digest(part)]
        say(not wrong, f"{name}: its {len(parts)} parts are those that are named")
        if one["privopt"] == "instrument":
            say(digest(one) in subjects, f"{name}: a charge names it, {digest(one)[:16]}...")
            maker(name, one, digest(one))
        for part in (one, *parts.values()):
            if part["privopt"] == "measurement":
                inside = name if part is one else f"{name}, measurement {digest(part)[:12]}"
                digests[digest(part)] = measured[inside] = record(part)
                made = parts[part["instrument"]]
                maker(f"{inside}, instrument", made, part["instrument"])
    for name, one in measured.items():
        if one["release"] is not None:
            say(one["release"]["maker"] == one["instrument"], f"{name}: it names its instrument")
            check_release(name, one["release"], rows, makers)
    decisions = {digest(one): one for one in data.values() if one["privopt"] == "decision"}
    for name, one in data.items():
        if one["privopt"] == "release" and "rests_on" in one:
            check_decided(name, one, digests, decisions)
        elif one["privopt"] == "release":
            check_release(name, one, rows, makers)


def main(arguments: list[str]) -> int:
    """Check the folder that is named, or the one that this file is in; print what was found."""
    folder = Path(arguments[0]) if arguments else Path(__file__).resolve().parent
    try:
        check_all(folder)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        say(False, f"a file is not what it should be ({type(error).__name__}: {error})")
    count = {word: sum(one == word for one, _ in found) for word in ("PASS", "FAIL", "NOTE")}
    # Whatever a file says, it is shown and not obeyed.
    lines = [f"{word}  {what.encode('unicode_escape').decode()}" for word, what in found]
    lines += [
        "",
        f"{count['PASS']} passed, {count['FAIL']} FAILED, {count['NOTE']} not recomputed.",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if count["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
