"""A receipt: that a curator has looked at a data file before its release, whatever was seen.

    privopt check job.toml --data loads.csv        writes loads.csv.checked, for its owner alone
    privopt release job.toml --data loads.csv      goes on, because there is one for these bytes

It binds the bytes of the file to what the look depends on besides: the entries of d, their domain,
neighbours and unit, and how the file is read. It is written whatever the look found, so that
whether a release goes on does not depend on d. It holds a digest of d, which could be guessed where
d can: a private file, like the data themselves.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from privopt.adapters.sites import Sites
from privopt.app.job import Job
from privopt.errors import InputError
from privopt.files import write_whole
from privopt.kernel.instrument import Instrument
from privopt.recognise import kind_of
from privopt.record import digest

__all__ = ["holds", "looked_at", "receipt_path", "write_receipt"]

_KIND = "receipt"
_VERSION = 1
_SUFFIX = ".checked"
_LARGEST = 10_000  # bytes of a receipt
_NOTE = "PRIVATE: it holds a digest of the private data. Keep it where they are."


def looked_at(made: Instrument, job: Job) -> str:
    """Digest of what a look depends on besides the data: all of it public."""
    kernel = made.kernel
    lower, upper = kernel.map.box
    reading: Mapping[str, Any] = {} if job.data is None else job.data.reading
    sites: Sites | None = reading.get("sites")
    places = {} if sites is None else dict(sites.entries)
    return digest(
        {
            "names": list(kernel.data_names),
            "private": [int(k) for k in kernel.private],
            "domain": [lower.tolist(), upper.tolist()],
            "neighbours": made.privacy.neighbours.to_dict(),
            "unit": None if kernel.units is None else kernel.units.data,
            "columns": reading.get("columns"),
            "decimal": reading.get("decimal"),
            "missing": reading.get("missing"),
            "bound": None if reading.get("bound") is None else list(reading["bound"]),
            "sites": {customer: sorted(own) for customer, own in places.items()},
        }
    )


def receipt_path(job: Job, given: str | None = None) -> Path | None:
    """Where the receipt of a job's data is: as given, or beside their file; None without one."""
    if given is not None:
        return Path(given)
    path = None if job.data is None else job.data.path
    return None if path is None else Path(f"{path}{_SUFFIX}")


def write_receipt(path: Path, job: Job, subject: str) -> None:
    """Write the receipt of the job's data, for its owner alone."""
    if path.exists() and kind_of(str(path)) != _KIND:
        raise InputError(
            f"{path} is there already, and is no receipt.",
            "a place for the receipt: a new file, or an older receipt.",
            "write --receipt FILE.",
        )
    whole = {"privopt": _KIND, "version": _VERSION, "note": _NOTE, **_bound(job, subject)}
    try:
        write_whole(path, f"{json.dumps(whole, indent=2)}\n".encode(), private=True)
    except OSError as error:
        raise InputError(
            f"{path} could not be written ({error.strerror}).",
            "a place for the receipt, which is private.",
            "write --receipt FILE.",
        ) from None


def holds(path: Path | None, job: Job, subject: str) -> bool:
    """Whether there is a receipt for exactly these data, job and reading."""
    try:
        if path is None or not path.is_file() or path.stat().st_size > _LARGEST:
            return False
        found: Any = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    if not isinstance(found, dict):
        return False
    table = cast("dict[str, Any]", found)
    head = table.get("privopt") == _KIND and table.get("version") == _VERSION
    return head and {name: table.get(name) for name in ("data", "job")} == _bound(job, subject)


def _bound(job: Job, subject: str) -> dict[str, str]:
    return {"data": _data_digest(job), "job": subject}


def _data_digest(job: Job) -> str:
    """SHA-256 of the file's bytes, or of values in the job. Private."""
    data = job.data
    if data is None or data.path is None:
        return digest(["values", None if data is None else data.values])
    taken = hashlib.sha256()
    try:
        with Path(data.path).open("rb") as file:
            while piece := file.read(1 << 20):
                taken.update(piece)
    except OSError as error:
        raise InputError(
            f"{data.path} could not be read ({error.strerror}).", "the data.", "check the path."
        ) from None
    return taken.hexdigest()
