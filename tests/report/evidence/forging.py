"""Forgeries of evidence: one number changed, and everything made to fit it that can be made."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from privopt.report.evidence import recompute

THINGS = ("digest", "key", "request", "output")


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def canonical(data: Any) -> bytes:
    return json.dumps(data, sort_keys=True, separators=(",", ":")).encode()


def run(folder: Path) -> tuple[int, list[str]]:
    """What the script says, in a Python without packages: its code, and the lines that fail."""
    command = [sys.executable, "-I", "-S", str(folder / "recompute.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.stderr == ""
    return done.returncode, [line for line in done.stdout.splitlines() if line.startswith("FAIL")]


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]


def write_rows(folder: Path, found: list[dict[str, Any]]) -> None:
    (folder / "ledger.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found))


def listed(folder: Path) -> None:
    """Manifest, page and sums of the files as they are now, with the head of the ledger."""
    path, last = folder / "manifest.json", rows(folder)[-1]
    about = read(path) | {"head": [last["seq"], last["digest"]["hex"]]}
    del about["files"]
    text, _ = recompute.page_of(recompute.paths(folder), about)
    (folder / "index.html").write_text(text)
    found = {name: sha(raw) for name, raw in recompute.paths(folder).items()}
    files = {name: own for name, own in found.items() if name not in recompute.SEALS}
    path.write_text(json.dumps({**about, "files": files}))
    found |= {"manifest.json": sha(path.read_bytes())}
    sums = [f"{found[name]}  {name}\n" for name in sorted(found) if name != "SHA256SUMS"]
    (folder / "SHA256SUMS").write_text("".join(sums))


def chained(found: list[dict[str, Any]]) -> None:
    """A new chain through rows as they are: whoever can write a ledger can do that."""
    before: dict[str, Any] = {}
    for row in found:
        if before:
            row["previous"] = before["digest"]
            for part in ("epsilon", "delta"):
                spent = int(before[f"spent_{part}"]) + int(row[part])
                row[f"spent_{part}"] = str(spent)
        if "request" in row:
            row["request_digest"] = {"hex": sha(row["request"].encode())}
        text = {name: value for name, value in row.items() if name not in THINGS}
        row["digest"] = {"hex": sha(canonical(text))}
        before = row


def consistent(folder: Path, old: dict[str, str]) -> None:
    """Every digest anew after instruments were changed; `old` has their digests by path."""
    found, data = rows(folder), {path: read(path) for path in folder.glob("*s/*.json")}
    made = {path: one for path, one in data.items() if one["privopt"] == "instrument"}
    digests = {old[str(path)]: digest(one) for path, one in made.items()}
    for row in found:
        if row["kind"] == "charge":
            asked = json.loads(row["request"])
            asked["subject"] = digests.get(asked["subject"], asked["subject"])
            row["request"] = canonical(asked).decode()
    for _ in found:  # outputs hold digests of rows, and later rows digests of outputs
        chained(found)
        for one in data.values():
            held = one["release"] if one["privopt"] == "measurement" else one
            if one["privopt"] in ("measurement", "release") and held["mechanism"] != "decision":
                charge = found[held["ledger"]["row"] - 1]
                held["ledger"]["digest"] = charge["digest"]["hex"]
                held["maker"] = json.loads(charge["request"])["subject"]
                output = next(row for row in found if row.get("of") == charge["seq"])
                whole = {**held, "privopt": "release", "version": 3}
                output["output_digest"] = {"hex": digest(whole)}
    for one in data.values():
        if one["privopt"] == "measurement":
            one["instrument"] = one["release"]["maker"]
            (part,) = (m for m in made.values() if digest(m) == one["instrument"])
            one["parts"] = {one["instrument"]: record(part)}
    for path, one in data.items():
        path.write_text(json.dumps(one))
    for path in (*folder.glob("decisions/*.json"), *folder.glob("releases/*.json")):
        if read(path).get("mechanism", "decision") == "decision":
            path.unlink()
    write_rows(folder, found)
    listed(folder)


def record(data: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in data.items() if name not in ("comparison", "parts")}


def digest(data: dict[str, Any]) -> str:
    return sha(canonical(record(data)))


def subjects(folder: Path) -> dict[str, str]:
    """The digest of each instrument, by its path."""
    return {str(path): digest(read(path)) for path in folder.glob("instruments/*.json")}
