"""Recompute what this folder claims, with nothing but Python's standard library.

    python3 -I -S recompute.py          in the folder, or:  recompute.py FOLDER

No file of privopt is used. Each line says PASS, FAIL or NOTE (not recomputed, and why); the exit
code is 1 if a line fails. What this script does not understand fails: a file, a field, a link.

1. Files: every file has the SHA-256 of manifest.json and SHA256SUMS, and there is no other.
2. Ledger: the chain of ledger.jsonl, its sums, limits, shares and times, the head.
3. Records. Everything public is known by the SHA-256 of its record: JSON with sorted keys and no
   spaces. What a record names is in the file under that digest. So whatever says the same number
   twice is compared: instrument, request, charge, release, decision.
4. Instruments. What is released is  y = (offset + M u) + noise,  u = d rounded to the
   grid 2^-coarse and clamped to [low, high]; M, offset, low and high are integers in the file. How
   far y can move between neighbours is recomputed in exact fractions, and from it the epsilon:

       Delta = largest change of M u for the entries of one owner, and the rounding of y
       Laplace            epsilon = Delta / scale
       truncated Laplace  the same; delta as asked, if Delta / scale <= epsilon as asked (the noise
                          is cut at B = scale ln(1 + (e^epsilon - 1) / (2 delta)))
       Gaussian           rho = (Delta / scale)^2 / 2, and for any a > 1 (Canonne, Kamath, Steinke)
                          delta <= exp((a - 1)(a rho - epsilon)) / (a - 1) * (1 - 1/a)^a

   The noise is drawn on a grid that y lies on, so these hold as they stand.
5. Measurements and releases: what their instrument and their charge make of their values, and
   nothing else; of a decided release, what its decision makes. Its measurements are charged.
6. The page: index.html is what this script makes of the other files.

Not looked at: whether the curator ran this program on these data, whether the noise was drawn as
stated, releases outside of this ledger, values that were decided, and any claim of feasibility.
"""

from __future__ import annotations

import hashlib
import html
import json
import math
import re
import sys
import time
from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

Line: TypeAlias = tuple[str, str]  # PASS, FAIL or NOTE, and of what
Plain: TypeAlias = dict[str, Any]

PLACES = {"epsilon": 30, "delta": 60}  # of amounts in the ledger, after the point
SEALS = ("manifest.json", "SHA256SUMS")
PAGE, SIGNATURE = "index.html", "manifest.json.sig"
FIXED = ("ledger.jsonl", "recompute.py", "README.txt", PAGE)
COPIES = re.compile(r"(release|measurement|decision|instrument)s/[A-Za-z0-9-]+\.json")
LONG = 40  # characters of a cell that may be broken into lines
AMOUNT = re.compile(r"[0-9]{1,80}(\.[0-9]{1,80})?(e-[0-9]{1,3})?")
TIME = "%Y-%m-%dT%H:%M:%SZ"
DEEPEST = 4096  # exponents of grids
NOISE = {  # of each kind: the norm of Delta, its name in claims, what is asked of it
    "Laplace": (1, "laplace", ()),
    "TruncatedLaplace": (1, "truncated", ("delta",)),
    "Gaussian": (2, "gaussian", ("delta", "calibration")),
}
# What a record holds: its version, its fields, and those that may be left out.
RECORDS = {
    "instrument": (2, "names noise map calibration data_names private", "domain unit comparison"),
    "measurement": (2, "instrument release parts", ""),
    "release": (
        3,
        "values names epsilon delta alpha scale exponent mechanism guarantee ledger maker",
        "date units rests_on errors spreads worth",
    ),
    "decision": (
        2,
        "values names measurements program query balance guarantee certificate loss optimal_cost "
        "errors spreads worth parts",
        "units",
    ),
}
CLAIM = {"provenance", "because", "scope", "assumptions", "confidence", "terms"}
MADE = {"size", "sensitivity", "scale", "exponent", "epsilon", "delta"}
BESIDE = ("comparison", "parts")  # in a file, and no part of its record
ROW = (
    "seq kind time of epsilon delta spent_epsilon spent_delta limit_epsilon limit_delta key_digest "
    "request_digest output_digest home previous digest releaser releasers releaser_spent_epsilon "
    "releaser_spent_delta releaser_limit_epsilon releaser_limit_delta request"
)
KINDS = ("opened", "limit", "quota", "moved", "redacted", "closed", "charge", "output")
NOT_COVERED = (
    "Who made this folder: whoever can write a folder can write all of it. A signature of "
    "manifest.json shows it (README.txt has the command that verifies one).",
    "Releases made without this ledger, with another ledger about the same data, or with a copy.",
    "Whether the curator ran this software, unchanged, on the data that it says: no file can show.",
    "Whether the noise was drawn as stated.",
    "Side channels: run times, failures, what people say.",
    "People whose data are correlated, or changes beyond what neighbours are here.",
    "Claims whose privacy is ASSUMED or SAMPLED: they are as good as their grounds.",
    "Values that were decided from a measurement, and their feasibility, which is promised to the "
    "operator: `privopt verify` looks at both.",
)


def need(holds: object, what: str) -> None:
    """Stop here unless something holds."""
    if not holds:
        raise ValueError(what)


def tell(holds: object, what: str) -> Line:
    """One line."""
    return ("PASS" if holds else "FAIL"), what


def within(name: str, checks: Iterator[Line]) -> Iterator[Line]:
    """Lines about something; whatever is not understood there is one that fails."""
    of = f"{name}: " if name else ""
    try:
        for word, what in checks:
            yield word, f"{of}{what}"
    except ValueError as wrong:
        yield "FAIL", f"{of}{wrong}"
    except (LookupError, TypeError, ArithmeticError, AttributeError, OSError) as error:
        yield "FAIL", f"{of}it is not what it should be ({type(error).__name__}: {error})"
    except RecursionError:
        yield "FAIL", f"{of}it is too deep"


def sha(data: bytes) -> str:
    """SHA-256."""
    return hashlib.sha256(data).hexdigest()


def canonical(data: Any) -> bytes:  # noqa: ANN401 -- plain data
    """The one text of plain data that digests are of."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def read(raw: bytes) -> Any:  # noqa: ANN401 -- plain data
    """JSON in which no name stands twice and every number is one."""

    def finite(text: str) -> float:
        need(math.isfinite(float(text)), f"{text} is no number")
        return float(text)

    def unique(pairs: list[tuple[str, Any]]) -> Plain:
        need(len(dict(pairs)) == len(pairs), "a name stands twice")
        return dict(pairs)

    return json.loads(raw, parse_float=finite, parse_constant=finite, object_pairs_hook=unique)


def number(value: object) -> bool:
    """Whether this is a plain number: of a text, or a huge exponent, nothing is computed."""
    return type(value) in (int, float) and abs(Fraction(value)) < 10**400  # type: ignore[arg-type]


def same(a: object, b: object) -> bool:
    """Whether two pieces of plain data have one text: for Python, true == 1 == 1.0."""
    return canonical(a) == canonical(b)


def record(data: Plain) -> Plain:
    """A file without what is beside its record."""
    return {name: value for name, value in data.items() if name not in BESIDE}


def digest(data: Plain) -> str:
    """By which ledgers and other records know it."""
    return sha(canonical(record(data)))


def units(value: Any, part: str) -> int:  # noqa: ANN401 -- a number or a decimal
    """An amount in the units of the ledger, rounded up."""
    need(number(value) or (isinstance(value, str) and AMOUNT.fullmatch(value)), f"its {part}")
    written = Fraction(repr(value) if isinstance(value, float) else value)
    return math.ceil(written * 10 ** PLACES[part])


def written(amount: int, part: str) -> str:
    """An amount of the ledger as a decimal, the way it stands in requests."""
    places = PLACES[part]
    whole, rest = divmod(amount, 10**places)
    if whole == 0 and 0 < rest < 10 ** (places - 4):
        first, more = str(rest)[0], str(rest)[1:].rstrip("0")
        return f"{first}{'.' + more if more else ''}e{len(str(rest)) - 1 - places}"
    return f"{whole}.{rest:0{places}d}".rstrip("0").rstrip(".")


# 1. Files


def paths(folder: Path) -> dict[str, bytes]:
    """Every file by its path; a link, or what belongs to no evidence, is refused."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        need(not path.is_symlink(), f"{name} is a link")
        if path.is_dir():
            need(COPIES.fullmatch(f"{name}/x.json"), f"{name} is not a folder of evidence")
            continue
        known = name in (*FIXED, *SEALS, SIGNATURE) or COPIES.fullmatch(name)
        need(path.is_file() and known, f"{name} is not a file of evidence")
        found[name] = path.read_bytes()
    return found


def check_files(files: dict[str, bytes]) -> Iterator[Line]:
    """The files are those of the manifest and of SHA256SUMS."""
    manifest = read(files["manifest.json"])
    need(
        manifest.keys() == {"privopt", "version", "by", "made", "dataset", "head", "files"}
        and (manifest["privopt"], manifest["version"]) == ("evidence", 3),
        "manifest.json is not that of evidence, version 3",
    )
    listed: dict[str, str] = manifest["files"]
    there = {name: sha(raw) for name, raw in files.items() if name not in (*SEALS, SIGNATURE)}
    wrong = {
        "CHANGED": [name for name in listed if listed[name] != there.get(name, listed[name])],
        "MISSING": sorted((listed.keys() | set(FIXED)) - there.keys()),
        "NOT LISTED": sorted(there.keys() - listed.keys()),
    }
    said = "".join(f"; {word}: {names}" for word, names in wrong.items() if names)
    yield tell(not said, f"every file has the SHA-256 of the manifest{said}")
    sums = {**listed, "manifest.json": sha(files["manifest.json"])}
    text = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))
    yield tell(files["SHA256SUMS"] == text.encode(), "SHA256SUMS says the same")


# 2. Ledger


def check_ledger(rows: list[Plain], about: Plain) -> Iterator[Line]:
    """The chain, and that each row says what follows from those before it."""
    before: Plain = {}
    shares: dict[str, Plain] = {}
    subject = read(rows[0]["request"].encode())
    for number, row in enumerate(rows, 1):
        try:
            need(row.keys() <= set(ROW.split()), f"it has {sorted(row)}")
            follows(row, before, number)
            amounts(row, before)
            share(row, before, shares)
            what_it_says(row, rows, subject, about["made"])
        except ValueError as wrong:
            raise ValueError(f"ledger: row {number}: {wrong}") from None
        before = row
    outputs = [row["of"] for row in rows if row["kind"] == "output"]
    need(len(set(outputs)) == len(outputs), "ledger: a charge has two outputs")
    yield "PASS", f"ledger: chain, sums, limits and times of {len(rows)} rows"
    head: list[Any] = [len(rows), rows[-1]["digest"]["hex"]]
    yield tell(about["head"] == head, f"ledger: it ends with the stated head, {head[1][:16]}...")
    yield tell(
        subject["dataset"] == about["dataset"], "ledger: it is of the dataset of the manifest"
    )
    same = {(one["alpha"], one["private"], one.get("relation", "")) for one in requests(rows)}
    stated = subject["alpha"] is None or same <= {
        (subject["alpha"], subject["private"], subject.get("relation", ""))
    }
    yield tell(len(same) <= 1 and stated, "ledger: all charges are for the same neighbours")


def follows(row: Plain, before: Plain, number: int) -> None:
    """The chain."""
    things = ("digest", "request")
    kept = {name: value for name, value in row.items() if name not in things}
    need(row["seq"] == number, "its number")
    need(row["previous"] == (before["digest"] if before else {"hex": "00" * 32}), "the chain")
    need(sha(canonical(kept)) == row["digest"]["hex"], "its digest")
    if "request" in row:
        need(sha(row["request"].encode()) == row["request_digest"]["hex"], "its request")


def amounts(row: Plain, before: Plain) -> None:
    """Charge, sum and limit."""
    paid = row["kind"] == "charge"
    for part in PLACES:
        charge, spent, limit = (int(row[f"{of}{part}"]) for of in ("", "spent_", "limit_"))
        need(charge >= 0 and (charge == 0 or paid) and limit >= 0, "what it charges")
        need(spent == charge + int(before.get(f"spent_{part}", 0)), "the sum")
        free = row["kind"] in ("opened", "limit")
        need(free or limit == int(before[f"limit_{part}"]), "the limit")
        if int(row["epsilon"]) or int(row["delta"]):
            need(spent <= limit, "it is beyond the limit")


def share(row: Plain, before: Plain, shares: dict[str, Plain]) -> None:
    """What a releaser has spent, and his quota."""
    count, name = before.get("releasers", 0), row.get("releaser")
    paid = int(row["epsilon"]) or int(row["delta"])
    if name is None:
        need(row.get("releasers", 0) == count and not (count and paid), "a releaser is missing")
        return
    key: str = name["hex"]
    was, sets = shares.get(key, {}), row["kind"] == "quota"
    new = sets and "releaser_limit_epsilon" not in was
    need(row["kind"] in ("charge", "quota"), "it names a releaser")
    need(row.get("releasers", 0) == count + new, "the number of releasers")
    for part in PLACES:
        spent, limit = (f"releaser_{of}_{part}" for of in ("spent", "limit"))
        need(int(row[spent]) == int(was.get(spent, 0)) + int(row[part]), "the releaser's sum")
        need(sets or row.get(limit) == was.get(limit), "the releaser's quota")
        if paid:
            need(not count or int(row[spent]) <= int(row[limit]), "it is beyond the quota")
    shares[key] = row


def what_it_says(row: Plain, rows: list[Plain], subject: Plain, made: str) -> None:
    """What a row of its kind holds, and when it was written."""
    need(row["kind"] in KINDS and (row["kind"] == "opened") == (row["seq"] == 1), "its kind")
    last: int = row["seq"] - 2
    before = rows[last]["kind"] if last >= 0 else ""
    need(before != "closed" or row["kind"] == "moved", "the ledger was closed before it")
    need(is_time(made), "the folder was made at no time")
    if row["kind"] == "output":
        need("time" not in row and "output_digest" in row, "what it holds")
        of: int = row["of"]
        need(1 <= of < row["seq"] and rows[of - 1]["kind"] == "charge", "its charge")
        return
    need("of" not in row and "output_digest" not in row, "what it holds")
    opened: str = rows[0]["time"]
    need(is_time(row["time"]) and opened <= row["time"] <= made, "its time")
    if row["kind"] != "charge":
        return
    if "request" not in row:
        settled = subject["alpha"] is not None or requests(rows[: row["seq"]])
        need(settled, "it was redacted, and nothing before it says who its neighbours are")
        return
    asked = read(row["request"].encode())
    need(canonical(asked) == row["request"].encode(), "the text of its request")
    for part in PLACES:
        need(written(units(asked[part], part), part) == asked[part], f"{part} of its request")
        need(int(row[part]) == cost(asked[part], asked[f"own_{part}"], part), "what it charges")


def is_time(text: object) -> bool:
    """Whether this is a time as ledgers have it."""
    try:
        return isinstance(text, str) and time.strftime(TIME, time.strptime(text, TIME)) == text
    except ValueError:
        return False


def cost(asked: object, own: float | None, part: str) -> int:
    """What a request costs: as asked (a decimal), or what its noise costs exactly, if more."""
    noise = math.ceil(Fraction(own or 0) * 10 ** PLACES[part])
    return max(units(asked, part), noise)


def requests(rows: list[Plain]) -> list[Plain]:
    """The requests that were not blanked."""
    return [read(r["request"].encode()) for r in rows if r["kind"] == "charge" and "request" in r]


# 3. Records


def check_record(data: Plain, *, part: bool = False) -> str:
    """Its digest; it has the fields of its kind, and its parts are those that it names."""
    kind = data["privopt"]
    need(kind in RECORDS, f"kind {kind!r} is not known")
    version, fields, more = RECORDS[kind]
    own = set(fields.split()) | {"privopt", "version"}
    lacks = own - data.keys() - (set(BESIDE) if part else set())
    odd = data.keys() - own - set(more.split())
    need(not lacks and not odd, f"it lacks {sorted(lacks)}, or has {sorted(odd)} that nobody knows")
    need(not part or not data.keys() & set(BESIDE), "a part has parts, or says how it was chosen")
    need(data["version"] == version, f"it has version {data['version']}, not {version}")
    return digest(data)


def check_parts(data: Plain) -> Iterator[Line]:
    """Parts by digest: the ones that are named, and no others."""
    parts, named = data.get("parts", {}), set[str]()
    for name, part in parts.items():
        need(name == sha(canonical(part)), f"part {name[:12]} is something else")
    for one in (data, *parts.values()):
        if one["privopt"] == "decision":
            named |= {one["program"], *one["measurements"]}
            need(parts[one["program"]]["privopt"] == "program", "its program")
            need(
                all(parts[m]["privopt"] == "measurement" for m in one["measurements"]), "its parts"
            )
        elif one["privopt"] == "measurement":
            named.add(one["instrument"])
            need(parts[one["instrument"]]["privopt"] == "instrument", "its instrument")
    need(named == parts.keys(), "its parts are not those that it names")
    if parts:
        yield "PASS", f"its parts ({len(parts)}) are those that it names"


# 4. Instruments


def owners(noise: Plain, size: int) -> list[list[int]]:
    """The entries that may change together: those of each owner, who may share them."""
    whose: Any = noise.get("owners")
    if whose is None:
        whose = [0] * size if noise.get("change") == "total" else list(range(size))
    each: list[set[Any]] = [{*one} if isinstance(one, list) else {one} for one in whose]
    need(len(each) == size and all(each), "its owners")
    found: dict[Any, list[int]] = {}
    for j, own in enumerate(each):
        for one in own:
            need(type(one) is int, "its owners are no numbers")
            found.setdefault(one, []).append(j)
    return list(found.values())


def given_alphas(noise: Plain, size: int) -> list[float]:
    """Alpha of each private entry."""
    given: Any = noise["alpha"]
    each: list[Any] = [*given] if isinstance(given, list) else [given] * size
    need(len(each) == size and all(type(a) in (int, float) for a in each), "its alphas")
    need(min(each) >= 0 and max(each) > 0, "its alphas: one is below zero, or all are zero")
    return each


def alphas(noise: Plain, size: int) -> list[Fraction]:
    """The change of each entry that is hidden: the decimal as written, or its float if more."""
    return [max(Fraction(a), Fraction(repr(float(a)))) for a in given_alphas(noise, size)]


def norm(values: list[int], order: int) -> int:
    """The norm of integers; of order 2 rounded up."""
    return sum(map(abs, values)) if order == 1 else math.isqrt(sum(v * v for v in values)) + 1


def moved(file: Plain, order: int) -> Fraction:
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


def understood(file: Plain) -> None:
    """The map and the noise are of the kinds that the rest takes them for."""
    it, noise, made, names = file["map"], file["noise"], file["calibration"], file["data_names"]
    need(
        it.keys() == {"matrix", "offset", "low", "high", "fine", "coarse"}
        and (made is None or made.keys() == MADE),
        "the fields of its map or noise",
    )
    numbers = [v for row in (*it["matrix"], it["offset"], it["low"], it["high"]) for v in row]
    sizes = {len(row) for row in (*it["matrix"], it["low"], it["high"], file["private"])}
    need(all(type(v) is int for v in (*numbers, it["fine"], it["coarse"])), "integers of its map")
    sums = {len(it["matrix"]), len(it["offset"]), len(file["names"])}
    need(len(sizes) == 1 and len(sums) == 1, "its size")
    need(all(a <= b for a, b in zip(it["low"], it["high"], strict=True)), "its box")
    deep = [it["fine"], it["coarse"], *([] if made is None else [made["exponent"]])]
    need(all(type(k) is int and abs(k) <= DEEPEST for k in deep), "its grids")
    need(noise["kind"] in NOISE, f"noise {noise['kind']!r:.40} is not known here")
    asked = {"kind", "epsilon", "alpha", *NOISE[noise["kind"]][2]}
    need(asked <= noise.keys() <= asked | {"owners", "change"}, "what was asked of its noise")
    need(noise.get("change", "each") in ("each", "total"), "what one owner may change")
    given = [noise["epsilon"], noise.get("delta", 0), *(made or {"size": 0}).values()]
    need(all(map(number, given)) and noise.get("delta", 1) > 0, "the numbers of its noise")
    owners(noise, len(it["low"]))
    alphas(noise, len(it["low"]))
    own = [names[j] for j in file["private"]]
    kept = sorted(set(file["private"]))
    need(file["private"] == kept and kept[0] >= 0, "its private entries")
    need(len(set(names)) == len(names) and all(type(one) is str for one in names), "its names of d")
    need(len(set(file["names"])) == len(file["names"]) and len(own) > 0, "its names")
    check_domain(file.get("domain", {}), it)


def check_domain(domain: Plain, it: Plain) -> None:
    """The public facts are of the box that data are clamped to."""
    need(domain.keys() <= {"lower", "upper", "rows"}, "the fields of its domain")
    ends = [*domain.get("lower", []), *domain.get("upper", [])]
    need(all(map(number, ends)), "the ends of its domain")
    grid = Fraction(2) ** it["coarse"]
    if domain.keys() & {"lower", "upper"}:
        low = [math.ceil(Fraction(v) * grid) for v in domain["lower"]]
        high = [math.floor(Fraction(v) * grid) for v in domain["upper"]]
        same = [min(a, b) for a, b in zip(low, high, strict=True)] == it["low"]
        need(same and high == it["high"], "its domain is not the box that its map clamps to")
    if "rows" in domain:
        rows = domain["rows"]
        sizes = {len(row) for row in rows["W"]} == {len(it["low"])}
        ends = len(rows["W"]) == len(rows["low"]) == len(rows["high"])
        need(rows.keys() == {"W", "low", "high"} and sizes and ends, "the rows of its domain")


def check_maker(file: Plain) -> Iterator[Line]:
    """Delta and epsilon of an instrument, compared with what it says."""
    understood(file)
    noise, made = file["noise"], file["calibration"]
    if made is None:
        nothing = not file["map"]["matrix"]
        yield tell(nothing, "a constant: nothing of d is in it, epsilon 0")
        return
    order, _, _ = NOISE[noise["kind"]]
    need(made["scale"] > 0 and made["size"] == len(file["names"]) > 0, "its scale or size")
    Delta = moved(file, order)
    yield tell(
        Fraction(made["sensitivity"]) >= Delta,
        f"sensitivity recomputed {float(Delta):.12g}, claimed {made['sensitivity']:.12g}",
    )
    ratio, epsilon, delta = Delta / Fraction(made["scale"]), made["epsilon"], made["delta"]
    yield tell(
        epsilon <= noise["epsilon"] and delta <= noise.get("delta", 0.0),
        f"its noise costs no more than was asked: epsilon {noise['epsilon']:.12g}",
    )
    if noise["kind"] == "Gaussian":
        least = gaussian_delta(ratio**2 / 2, epsilon)
        yield tell(
            least <= Decimal(delta),
            f"at epsilon {epsilon:.12g} delta recomputed {float(least):.6g}, claimed {delta:.6g}",
        )
        return
    yield tell(
        ratio <= Fraction(epsilon),
        f"epsilon recomputed {float(ratio):.12g}, claimed {epsilon:.12g}",
    )
    if noise["kind"] == "TruncatedLaplace":
        yield tell(
            ratio <= Fraction(noise["epsilon"]) and delta >= noise["delta"],
            f"delta {delta:.6g} for noise cut at B (the file does not hold B)",
        )
    else:
        yield tell(delta == 0, "delta 0")


def neighbours(file: Plain) -> Plain:
    """Whose data are neighbours: alpha, the private entries by name, and owners."""
    noise = file["noise"]
    names, size = [file["data_names"][j] for j in file["private"]], len(file["private"])
    alpha, groups = given_alphas(noise, size), owners(noise, size)
    shown = sorted({f"{n} in {file['unit']}" if "unit" in file else n for n in names})
    asked: Plain = {"alpha": max(alpha), "private": f"{len(shown)}:{sha(canonical(shown))}"}
    if {"owners", "change"} & noise.keys() or isinstance(noise["alpha"], list):
        told = {
            "alpha": sorted([name, a] for name, a in zip(names, alpha, strict=True)),
            "owners": sorted(sorted(names[j] for j in group) for group in groups),
        }
        change, together = noise.get("change", "each"), terms_of(file).get("together", 1)
        asked["relation"] = f"{change}:{together}:{min(alpha)!r}:{sha(canonical(told))}"
    return asked


def request_of(file: Plain) -> bytes:
    """What a measurement by an instrument is charged for: the text that its row has a digest of."""
    noise, made = file["noise"], file["calibration"]
    asked = {part: written(units(float(noise.get(part, 0)), part), part) for part in PLACES}
    request: Plain = {
        "mechanism": "measurement",
        "provenance": "PROVEN",
        **asked,
        "own_epsilon": made["epsilon"],
        "own_delta": made["delta"],
        **neighbours(file),
        "subject": digest(file),
        "query": sha(canonical(file["map"]["matrix"])),
        "noise": noise["kind"],
        "tries": 1,
        **{name: made[name] for name in ("scale", "sensitivity", "size", "exponent")},
    }
    return canonical(request)


def terms_of(file: Plain) -> Plain:
    """What the noise of an instrument promises, in numbers."""
    noise, size = file["noise"], len(file["private"])
    alpha = given_alphas(noise, size)
    terms: Plain = {
        "about": "privacy",
        "epsilon": noise["epsilon"],
        "delta": noise.get("delta", 0.0),
        "alpha": max(alpha),
        "family": NOISE[noise["kind"]][1],
    }
    if min(alpha) != max(alpha):
        terms["least"] = min(alpha)
    together = max(map(len, owners(noise, size)))
    if noise.get("change") == "total":
        terms["change"] = "total"
        together = together if "owners" in noise else 0
    return terms if together == 1 else {**terms, "together": together}


# 5. Measurements, releases, decisions


def claims(privacy: Plain, feasibility: Plain | None = None) -> Plain:
    """The claims of something measured or decided, as its record has them."""
    shape: Plain = {"assumptions": [], "confidence": 1.0}
    nothing = {**shape, "provenance": "ASSUMED", "scope": "none", "terms": None}
    proven = {**shape, "provenance": "PROVEN", "scope": "neighbours", "terms": privacy}
    return {"privacy": proven, "feasibility": feasibility or nothing}


def charge_of(release: Plain, rows: list[Plain], about: Plain) -> Plain:
    """The row that charged a release, and whose output it is."""
    entry = release["ledger"]
    need(entry is not None, "no ledger counted it")
    number = entry["row"]
    there = type(number) is int and 1 <= number <= len(rows)
    row = rows[number - 1] if there else {}
    need(row.get("kind") == "charge", f"row {number} of the ledger is not its charge")
    own = {part: written(int(row[part]), part) for part in PLACES}
    wanted = {"dataset": about["dataset"], "row": number, "digest": row["digest"]["hex"], **own}
    need(same(entry, wanted), f"row {number} of the ledger is not its charge")
    return row


def is_output(release: Plain, row: Plain, rows: list[Plain]) -> Line:
    """Whether the ledger stored this record for its charge."""
    whole = {**release, "privopt": "release", "version": RECORDS["release"][0]}
    stored = [r["output_digest"]["hex"] for r in rows if r.get("of") == row["seq"]]
    return tell(stored == [digest(whole)], f"it is the output of row {row['seq']}, by its digest")


def without_head(data: Plain) -> Plain:
    """A record as it stands within another."""
    return {name: value for name, value in data.items() if name not in ("privopt", "version")}


def check_measured(release: Plain, file: Plain, rows: list[Plain], about: Plain) -> Iterator[Line]:
    """What its instrument and its charge make of its values, and nothing else."""
    made, row = file["calibration"], charge_of(release, rows, about)
    need(made is not None, "its instrument measures nothing")
    yield is_output(release, row, rows)
    asked = sha(request_of(file)) == row["request_digest"]["hex"]
    request = read(request_of(file))  # also where that of the row was blanked
    paid = all(int(row[p]) == cost(request[p], request[f"own_{p}"], p) for p in PLACES)
    yield tell(
        asked and paid and of_others(request, rows, about),
        f"row {row['seq']} charged what its instrument costs, for its neighbours",
    )
    terms, names = terms_of(file), file["names"]
    wanted: Plain = {
        "values": release["values"],
        "names": names,
        "epsilon": made["epsilon"],
        "delta": made["delta"],
        "alpha": terms["alpha"],
        "scale": made["scale"],
        "exponent": made["exponent"],
        "mechanism": "measurement",
        "guarantee": claims(terms),
        "ledger": release["ledger"],
        "maker": digest(file),
        "date": row["time"],
    }
    if "unit" in file:
        wanted["units"] = {"data": file["unit"], "values": file["unit"], "cost": ""}
    odd = [
        name
        for name in wanted.keys() | release.keys()
        if not same(wanted.get(name), release.get(name))
    ]
    yield tell(not odd, f"its numbers are those of its instrument and charge{named(odd)}")
    need(all(map(number, release["values"])), "its values are no numbers")
    cells = [Fraction(v) / Fraction(2) ** made["exponent"] for v in release["values"]]
    on_grid = len(cells) == len(names) and all(cell.denominator == 1 for cell in cells)
    yield tell(on_grid, "its values lie on the grid of its noise")


def of_others(request: Plain, rows: list[Plain], about: Plain) -> bool:
    """Whether it is for the neighbours of all others: of the ledger, or those seen before."""
    own = (request["alpha"], request["private"], request.get("relation", ""))
    first = read(rows[0]["request"].encode())
    known = [(one["alpha"], one["private"], one.get("relation", "")) for one in requests(rows)]
    known += [(first["alpha"], first["private"], first.get("relation", ""))] * bool(first["alpha"])
    return own == (known[0] if known else about.setdefault("neighbours", own))


def check_charged(release: Plain, rows: list[Plain], about: Plain) -> Iterator[Line]:
    """A release of a plan, or of an instrument that is not here: what its charge says of it."""
    row = charge_of(release, rows, about)
    yield is_output(release, row, rows)
    given = [*release["values"], *(release[n] for n in ("epsilon", "delta", "alpha", "scale"))]
    need(all(map(number, given)), "its numbers")
    need(release["mechanism"] != "measurement", "its instrument is not in the folder")
    yield tell(release["date"] == row["time"], f"its date is that of its charge, {row['time']}")
    claim, terms = release["guarantee"]["privacy"], release["guarantee"]["privacy"]["terms"]
    proven = claim["provenance"] == "PROVEN" and release["mechanism"] != "input perturbation"
    need(not proven and claim.keys() == CLAIM, "it claims what such a release cannot")
    told = {name: value for name, value in terms.items() if name not in ("about", "family")}
    need(told.keys() == {"epsilon", "delta", "alpha"}, "it claims other neighbours")
    need(all(map(number, told.values())), "the numbers of its claim")
    more = all(terms[part] >= release[part] for part in PLACES)
    paid = all(cost(0, release[part], part) <= int(row[part]) for part in PLACES)
    yield tell(
        more and paid and terms["alpha"] == release["alpha"],
        f"it claims no more than epsilon {release['epsilon']:.12g}, which was charged",
    )
    if "request" not in row:
        yield "NOTE", "its request was blanked: NOT COMPARED with it"
        return
    asked = read(row["request"].encode())
    mine = {
        **{name: release[name] for name in ("mechanism", "alpha", "scale")},
        **{f"own_{part}": release[part] for part in PLACES},
        "subject": release["maker"],
        "provenance": release["guarantee"]["privacy"]["provenance"],
    }
    odd = [name for name, value in mine.items() if not same(asked[name], value)]
    yield tell(not odd, f"its numbers are those of its request{named(odd)}")
    why = f"the privacy of a {release['mechanism']} is {mine['provenance']}"
    yield "NOTE", f"epsilon {release['epsilon']:.12g} NOT RECOMPUTED: {why}"


def check_decision(
    decision: Plain, records: dict[str, Plain], rows: list[Plain], about: Plain
) -> Iterator[Line]:
    """What is claimed of privacy is that of its measurements together."""
    every = [records[name] for name in decision["measurements"]]
    made = [records[one["instrument"]] for one in every]
    need(len(set(decision["measurements"])) == len(every), "a measurement counts twice")
    need(all(of_others(neighbours(file), rows, about) for file in made), "its neighbours")
    measured = [one for one in every if one["release"] is not None]
    terms = terms_of(records[(measured or every)[0]["instrument"]])
    if not measured:
        terms |= {"epsilon": 0.0, "delta": 0.0, "family": ""}
    elif len(measured) > 1:
        each = [terms_of(records[one["instrument"]]) for one in measured]
        total = {part: math.fsum(one[part] for one in each) for part in PLACES}
        families = {one["family"] for one in each}
        terms = {**each[0], **total, "family": families.pop() if len(families) == 1 else ""}
    given = decision["guarantee"]
    yield tell(
        same(given, claims(terms, given["feasibility"])),
        f"it claims the privacy of what it rests on, {len(measured)} measured, and no more",
    )
    promise, unit = given["feasibility"], decision.get("units", {}).get("data", "")
    nothing = promise["scope"] == "none"
    need(nothing == (decision["certificate"] is None), "its claim and its certificate")
    need(nothing or promise["terms"]["about"] == "feasibility", "what it promises")
    need(all(file.get("unit", "") == unit for file in made), "its unit")
    yield "NOTE", "its values and what it promises of limits are NOT RECOMPUTED"


def decided(decision: Plain, records: dict[str, Plain]) -> Plain:
    """The release of a decision."""
    rests_on = [name for name in decision["measurements"] if records[name]["release"]]
    measured = [records[name]["release"] for name in rests_on]
    given, last = decision["guarantee"], measured[-1] if measured else None
    release: Plain = {
        "privopt": "release",
        "version": RECORDS["release"][0],
        "values": decision["values"],
        "names": decision["names"],
        **{part: math.fsum(one[part] for one in measured) for part in PLACES},
        "alpha": (measured[0] if measured else given["privacy"]["terms"])["alpha"],
        "scale": max((one["scale"] for one in measured), default=0.0),
        "exponent": None,
        "mechanism": "decision",
        "guarantee": given,
        "ledger": None if last is None else last["ledger"],
        "maker": digest(decision),
    }
    if last is not None:
        release |= {"rests_on": rests_on, "date": last["date"]}
    if None not in (*decision["errors"], *decision["spreads"]):
        release |= {name: decision[name] for name in ("errors", "spreads", "worth")}
    return release | ({"units": decision["units"]} if "units" in decision else {})


def named(odd: list[str]) -> str:
    """What differs."""
    return f"; not: {', '.join(sorted(odd))}" if odd else ""


def check_things(files: dict[str, bytes], rows: list[Plain], about: Plain) -> Iterator[Line]:
    """Every copy, and every record within it; each instrument and measurement once."""
    things = {name: read(raw) for name, raw in files.items() if COPIES.fullmatch(name)}
    records: dict[str, Plain] = {}
    for thing in things.values():
        records |= {**thing.get("parts", {}), digest(thing): thing}
    seen: set[str] = set()
    inner = [one.get("release") or one for one in things.values()]
    labels = {one.get("unit") or one.get("units", {}).get("data", "") for one in inner}
    yield tell(len(labels) < 2, "all copies count data in one unit")
    for name, thing in things.items():
        yield from within(name, check_thing(name, thing, records, seen, rows, about))


def check_thing(
    name: str,
    thing: Plain,
    records: dict[str, Plain],
    seen: set[str],
    rows: list[Plain],
    about: Plain,
) -> Iterator[Line]:
    """One file, with what is in it."""
    own, kind = check_record(thing), thing["privopt"]
    need(name.startswith(f"{kind}s/"), f"it is a {kind}, in the folder of others")
    yield from check_parts(thing)
    for key, part in {**thing.get("parts", {}), own: thing}.items():
        if key not in seen and part["privopt"] != "program":  # a program claims nothing
            seen.add(key)
            check_record(part, part=part is not thing)
            about_it = check_one(part, records, rows, about)
            yield from about_it if part is thing else within(f"its {part['privopt']}", about_it)
    if kind == "instrument":
        asked = sha(request_of(thing)) if thing["calibration"] else ""
        found = any(r["request_digest"]["hex"] == asked for r in rows if r["kind"] == "charge")
        yield tell(found, f"a charge of the ledger is for it, {own[:16]}...")


def check_one(
    one: Plain, records: dict[str, Plain], rows: list[Plain], about: Plain
) -> Iterator[Line]:
    """One record."""
    if one["privopt"] == "instrument":
        yield from check_maker(one)
    elif one["privopt"] == "measurement":
        file, release = records[one["instrument"]], one["release"]
        if release is None:
            need(file["calibration"] is None, "its release is missing")
            yield "PASS", "nothing was measured, and nothing charged"
        else:
            yield from check_measured(release, file, rows, about)
    elif one["privopt"] == "decision":
        yield from check_decision(one, records, rows, about)
    elif one["mechanism"] == "decision":
        made_by = records.get(one["maker"], {}).get("privopt")
        need(made_by == "decision", "its decision is not in the folder")
        made = decided(records[one["maker"]], records)
        yield tell(same(made, one), f"it is the release of decision {one['maker'][:12]}")
    elif one["mechanism"] == "measurement" and one["maker"] in records:
        need(records[one["maker"]]["privopt"] == "instrument", "its maker is no instrument")
        yield from check_measured(without_head(one), records[one["maker"]], rows, about)
    else:
        yield from check_charged(one, rows, about)


# 6. The page

STYLE = """
:root { color-scheme: light dark; --ink: light-dark(#1c2126, #e8e8e4); --rule:
light-dark(#d3d8dc, #3a424a); --muted: light-dark(#59626b, #a3abb3); --ground:
light-dark(#fdfdfb, #14171b); --tint: light-dark(#f3f5f6, #1b2026); --line:
light-dark(#0068a8, #5aaef0); --good: light-dark(#1d7a4f, #5fcf9b); --bad:
light-dark(#a62a1b, #ff9282); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 2rem 1.5rem 4rem; background: var(--ground);
color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: clamp(1.7rem, 4vw, 2.6rem); line-height: 1.15; margin: 0 0 0.5rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.5rem; }
p { max-width: 46rem; } .note { color: var(--muted); }
dl { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; margin: 1.5rem 0; }
dd { margin: 0; font-size: 1.6rem; font-weight: 650; } dt { color: var(--muted); }
dl div { display: flex; flex-direction: column-reverse; justify-content: flex-end; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.9rem 0.3rem 0;
border-bottom: 1px solid var(--rule); }
td:not(.text), th { white-space: nowrap; } th { font-weight: 600; }
.n { font-variant-numeric: tabular-nums; }
.PASS { color: var(--good); } .FAIL { color: var(--bad); font-weight: 700; }
svg { width: 100%; max-width: 46rem; height: auto; } svg text { fill: var(--muted);
font-size: 13px; } .curve { fill: none; stroke: var(--line); stroke-width: 2.5; }
.limit { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 6 5; }
.axis { stroke: var(--rule); }
"""


def shown(value: object) -> str:
    """Text for the page; what would be obeyed or is invisible is shown as an escape."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(value))
    return html.escape(text)


def table(title: str, names: list[str], lines: Sequence[Sequence[object]], note: str = "") -> str:
    """A table, and a sentence about it."""
    if not lines:
        return ""
    head = "".join(f"<th>{shown(name)}</th>" for name in names)
    body = "".join(
        "".join(
            ["<tr>", *(f'<td class="{css(cell)}">{shown(cell)}</td>' for cell in line), "</tr>"]
        )
        + "\n"
        for line in lines
    )
    said = f'<p class="note">{shown(note)}</p>' if note else ""
    return (
        f'<h2>{shown(title)}</h2>{said}\n<div class="scroll"><table>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n"
    )


def css(cell: object) -> str:
    """How a cell looks."""
    if isinstance(cell, int | float):
        return "n"
    if cell in ("PASS", "FAIL"):
        return str(cell)
    return "text" if len(str(cell)) > LONG else ""


def spent_picture(charged: list[Plain], limit: float) -> str:
    """What was spent after each charge, below the limit."""
    sums = [0.0, *(float(Fraction(written(int(r["spent_epsilon"]), "epsilon"))) for r in charged)]
    top, width, height = max([limit, *sums, 1e-300]) * 1.08, 640.0, 220.0

    def at(k: float, value: float) -> tuple[float, float]:
        across, rise = (width - 60) * k / max(len(charged), 1), (height - 48) * value / top
        return 48 + across, height - 28 - rise

    path = f"M {at(0, 0)[0]:.1f} {at(0, 0)[1]:.1f}"
    for k, value in enumerate(sums[1:], 1):
        path += f" H {at(k, 0)[0]:.1f} V {at(k, value)[1]:.1f}"
    (left, base), (right, _) = at(0, 0), at(max(len(charged), 1), 0)
    line = at(0, limit)[1]
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="What was spent after each '
        f'charge, and the limit {limit:g}"><path class="axis" d="M {left:.1f} {base:.1f} '
        f'H {right:.1f}" fill="none"/><path class="limit" d="M {left:.1f} {line:.1f} '
        f'H {right:.1f}"/><path class="curve" d="{path}"/><text x="{left:.1f}" y="{line - 6:.1f}">'
        f'limit {limit:g}</text><text x="{right:.1f}" y="{at(0, sums[-1])[1] - 6:.1f}" '
        f'text-anchor="end">spent {sums[-1]:g}</text><text x="{left:.1f}" y="{height - 8:.1f}">'
        f"{len(charged)} charges, in their order</text></svg>\n"
    )


def page(files: dict[str, bytes], about: Plain, rows: list[Plain], lines: list[Line]) -> str:
    """What was published, when and at which privacy loss, for a reader without this software."""
    title = f"Evidence for {shown(about['dataset'])}"
    words = [word for word, _ in lines]
    failed, passed = words.count("FAIL"), words.count("PASS")
    verdict = f"{failed} checks FAILED" if failed else f"{passed} checks passed"
    told = "".join(f'<p class="FAIL">FAIL: {shown(what)}</p>\n' for word, what in lines
                   if word == "FAIL")  # fmt: skip
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title><style>{STYLE}</style></head>\n<body><h1>{title}</h1>\n"
        "<p>What was published about a private dataset, when, and at which privacy loss epsilon: "
        "the smaller it is, the less can be learnt about one person. Each publication was charged "
        "to a ledger with a limit before the data were read. Everything here can be checked with "
        "the files of this folder: <code>sha256sum -c SHA256SUMS</code> and "
        "<code>python3 -I -S recompute.py</code>, which makes this page, too.</p>\n"
        + (story(files, about, rows, verdict, told) if rows else told)
        + table("What is not covered", [""], [[one] for one in NOT_COVERED])
        + table("Recomputed without privopt", ["", "what"], lines)
        + "</body></html>\n"
    )  # fmt: skip


def story(files: dict[str, bytes], about: Plain, rows: list[Plain], verdict: str, told: str) -> str:
    """What a sound ledger and the copies tell."""
    charged = [row for row in rows if row["kind"] == "charge"]
    spent, limit = (
        {part: written(int(rows[-1][f"{of}_{part}"]), part) for part in PLACES}
        for of in ("spent", "limit")
    )
    facts = {
        f"privacy loss of all releases together, of at most {limit['epsilon']}":
        f"ε {spent['epsilon']}",
        "charges in the ledger": str(len(charged)),
        "by an independent recomputation": verdict,
    }  # fmt: skip
    big = "".join(f"<div><dt>{shown(k)}</dt><dd>{shown(v)}</dd></div>" for k, v in facts.items())
    things = {name: read(raw) for name, raw in sorted(files.items()) if COPIES.fullmatch(name)}
    inner = [one for thing in things.values() for one in (thing.get("release") or thing,)]
    unit = next((one["units"]["data"] for one in inner if "units" in one), "")
    asked = requests(rows)
    details = {
        **{name: f"epsilon {one['epsilon']}, delta {one['delta']}"
           for name, one in (("spent", spent), ("limit", limit))},
        "neighbours": neighbours_of(asked[0], unit) if asked else "no request is left that says it",
        "head of the ledger": f"row {about['head'][0]}, {about['head'][1]}",
        "written": about["made"],
        "by": about["by"],
    }  # fmt: skip
    return (
        f"<dl>{big}</dl>\n{told}"
        + spent_picture(charged, float(limit["epsilon"]))
        + charges_table(charged, rows, things)
        + values_table(things)
        + claims_table(things)
        + table("Details", ["", ""], list(details.items()))
    )


def neighbours_of(request: Plain, unit: str) -> str:
    """Whom epsilon speaks of, in words."""
    change, together, least, _ = (request.get("relation") or "each:1::").split(":")
    count, largest = request["private"].split(":")[0], request["alpha"]
    of_one = f"the entries of one owner, at most {together}"
    who = {"1": "one private entry", "0": "all private entries"}.get(together, of_one)
    ends = [repr(largest)] if least in ("", repr(largest)) else [least, repr(largest)]
    span = " to ".join(end.removesuffix(".0") for end in ends)
    how = "each by at most" if change == "each" and together != "1" else "by at most"
    total = " in total" if change == "total" else ""
    return (
        f"data that differ in {who} {how} {span} {unit}".rstrip() + f"{total}; {count} are private"
    )


def charges_table(charged: list[Plain], rows: list[Plain], things: dict[str, Plain]) -> str:
    """What was released when."""
    outputs = {row["of"] for row in rows if row["kind"] == "output"}
    lines: list[list[object]] = []
    for row in charged:
        asked: Plain = read(row["request"].encode()) if "request" in row else {}
        files = [name for name, one in things.items() if row["seq"] in rows_of(one)]
        lines.append([
            row["seq"], row["time"].replace("T", " ").rstrip("Z"),
            *(rounded(row[name], "epsilon") for name in ("epsilon", "spent_epsilon")),
            rounded(row["delta"], "delta"), asked.get("mechanism", "redacted"),
            asked.get("provenance", ""), asked.get("subject", "")[:12],
            "released" if row["seq"] in outputs else "none: burnt",
            ", ".join(files) or "not in this folder",
        ])  # fmt: skip
    names = ["row", "when (UTC)", "epsilon", "spent after it", "delta", "by", "privacy", "maker",
             "output", "files"]  # fmt: skip
    note = (
        "A charge is counted before the data are read, and stays counted whatever happens. Keys "
        "and stored outputs of the ledger are not handed out; their digests are."
    )
    return table("What was released when", names, lines, note)


def rounded(amount: str, part: str) -> str:
    """An amount of the ledger, rounded up to six digits."""
    with localcontext() as context:
        context.prec, context.rounding = 6, ROUND_CEILING
        return f"{(+Decimal(written(int(amount), part))).normalize():g}"


def rows_of(thing: Plain) -> set[int]:
    """The charges that a file rests on."""
    inner = [thing.get("release") or thing, *(
        one["release"] or {} for one in thing.get("parts", {}).values()
        if one["privopt"] == "measurement"
    )]  # fmt: skip
    return {one["ledger"]["row"] for one in inner if one.get("ledger")}


def values_table(things: dict[str, Plain]) -> str:
    """Each value with its unit, as its file has it."""
    lines: list[list[object]] = []
    for name, thing in things.items():
        one = thing.get("release") or thing
        counted = one.get("units", {}).get("values", "")
        for k, value in enumerate(one.get("values", [])):
            unit = counted if isinstance(counted, str) else counted[k]
            lines.append([name, one["names"][k], value, unit])
    return table("Released values", ["file", "name", "value", "unit"], lines)


def claims_table(things: dict[str, Plain]) -> str:
    """What each file claims, in numbers."""
    lines: list[list[object]] = []
    for name, thing in things.items():
        guarantee = (thing.get("release") or thing).get("guarantee")
        if guarantee:  # of feasibility nothing is recomputed
            claim = guarantee["privacy"]
            terms: Plain = claim["terms"] or {}
            told = {k: v for k, v in terms.items() if k != "about" and v not in (None, "")}
            numbers = ", ".join(k if v is True else f"{k} {v}" for k, v in told.items())
            grounds = "".join(f"; assuming {one}" for one in claim["assumptions"])
            word = "NO CLAIM" if claim["scope"] == "none" else claim["provenance"]
            lines.append([name, word, f"{numbers}{grounds}"])
    return table("What is claimed of privacy", ["file", "known as", "claim"], lines)


def page_of(files: dict[str, bytes], about: Plain) -> tuple[str, list[Line]]:
    """The page of a folder, and the lines on it: about ledger and records."""
    rows: list[Plain] = []

    def looked() -> Iterator[Line]:
        found: list[Plain] = [read(line) for line in files["ledger.jsonl"].splitlines()]
        yield from check_ledger(found, about)
        rows.extend(found)  # only with a sound ledger can anything be compared
        yield from check_things(files, rows, about)

    lines = list(within("", looked()))
    return page(files, about, rows, lines), lines


def check_all(folder: Path) -> Iterator[Line]:
    """Everything, in order."""
    files = paths(folder)
    yield from check_files(files)
    manifest = read(files["manifest.json"])
    about = {name: value for name, value in manifest.items() if name != "files"}
    made, lines = page_of(files, about)
    yield from lines
    yield tell(
        files[PAGE] == made.encode(),
        f"{PAGE} is the page that this script makes of the other files",
    )
    if SIGNATURE in files:
        yield "NOTE", "manifest.json.sig is NOT VERIFIED here: README.txt has the command"


def main(arguments: list[str]) -> int:
    """Check the folder that is named, or the one that this file is in; print what was found."""
    folder = Path(arguments[0]) if arguments else Path(__file__).resolve().parent
    found = list(within("", check_all(folder)))
    count = {word: sum(one == word for one, _ in found) for word in ("PASS", "FAIL", "NOTE")}
    # Whatever a file says, it is shown and not obeyed.
    lines = [f"{word}  {what.encode('unicode_escape').decode()}" for word, what in found]
    lines += [
        "",
        f"{count['PASS']} passed, {count['FAIL']} FAILED, {count['NOTE']} not recomputed.",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if count["FAIL"] or not count["PASS"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
