"""Evidence for a regulator: one folder, made of a ledger and of files that were published.

    index.html       the page                      ledger.jsonl   the ledger without keys, outputs
    releases/ ...    copies of the files           recompute.py   an independent check of all of it
    README.txt       how to check it
    manifest.json    SHA-256 of each               SHA256SUMS     the same, for sha256sum

Nothing here reads d, and nothing private goes in: public files, as they were published, and what a
ledger says of its charges. The ledger is verified first. The page is what recompute.py makes of the
other files, with what it finds there; and it is run, by itself, on the finished folder.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files as resources
from pathlib import Path

import privopt
from privopt.errors import InputError
from privopt.foreign import shown as shown_text
from privopt.ledger import Ledger
from privopt.ledger.handing import lines
from privopt.ledger.ledger import now
from privopt.ledger.verification import Report
from privopt.report.evidence.exhibits import exhibits
from privopt.report.evidence.recompute import page_of, paths
from privopt.report.evidence.writing import filled_folder, write, write_manifest

__all__ = ["EvidenceFolder", "make_evidence"]

_LONGEST = 600.0  # seconds for the script
_README = """Evidence of what was published about {dataset}, and at which privacy loss.

Open index.html to read it. To check it, in this folder:

    sha256sum -c SHA256SUMS              no file was changed since
    python3 -I -S recompute.py           chain, sums, limit, sensitivity and epsilon, from the files

recompute.py needs Python 3.11 or newer and nothing else. It came with this folder: read it, or
take the same file from privopt itself, where it is privopt/report/evidence/recompute.py.

Who made this folder, only a signature of manifest.json can show, which has the SHA-256 of every
file. Where it is beside it (allowed_signers: a line with WHO and the public key):

    ssh-keygen -Y verify -f allowed_signers -I WHO -n privopt-evidence \\
        -s manifest.json.sig < manifest.json
"""


@dataclass(frozen=True)
class EvidenceFolder:
    """What was written.

    Attributes
    ----------
    folder, files
        Where, and how many files.
    recomputed
        What recompute.py said: PASS, FAIL or NOTE, and of what.
    """

    folder: Path
    files: int
    report: Report
    recomputed: tuple[tuple[str, str], ...]

    @property
    def sound(self) -> bool:
        """Whether nothing failed."""
        return all(word != "FAIL" for word, _ in self.recomputed)


def make_evidence(
    ledger: str | Path,
    files: Sequence[str | Path],
    out: str | Path,
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> EvidenceFolder:
    """Write the folder.

    Parameters
    ----------
    ledger
        The ledger; only read.
    files
        Releases, measurements, decisions and instruments of its charges.
    out
        The folder to make; nothing may be there.
    progress
        Told what is being done.
    """
    with Ledger(ledger, read_only=True) as seen, filled_folder(Path(out)) as folder:
        progress("verifying the ledger")
        report, events = seen.verify(), seen.events
        shown = exhibits(seen, events, [Path(one) for one in files])
        made = now()
        write(folder, "ledger.jsonl", "".join(
            f"{line}\n" for line in lines(seen.store.reading)
        ))  # fmt: skip
        for one in shown:
            write(folder, one.path, one.content)
        script = (resources("privopt.report.evidence") / "recompute.py").read_bytes()
        write(folder, "recompute.py", script)
        write(folder, "README.txt", _README.format(dataset=shown_text(report.dataset)))
        progress("recomputing")
        about = _about(report, made)
        text, _ = page_of(paths(folder), about)
        write(folder, "index.html", text)
        write_manifest(folder, about)
        found = _recomputed(folder)
        count = sum(path.is_file() for path in folder.rglob("*"))
    return EvidenceFolder(Path(out), count, report, found)


def _about(report: Report, made: str) -> dict[str, object]:
    """What the manifest says beside its files."""
    return {
        "privopt": "evidence", "version": 3, "by": f"privopt {privopt.__version__}",
        "made": made, "dataset": report.dataset, "head": list(report.head),
    }  # fmt: skip


def _recomputed(folder: Path) -> tuple[tuple[str, str], ...]:
    """What the script says of the folder, in a Python of its own."""
    command = [sys.executable, "-I", "-S", str(folder / "recompute.py"), str(folder)]
    try:
        done = subprocess.run(  # noqa: S603 -- our own script, by the Python that runs this
            command, capture_output=True, text=True, check=False, timeout=_LONGEST
        )
        said = [line.split("  ", 1) for line in done.stdout.splitlines() if "  " in line]
    except (OSError, subprocess.SubprocessError):
        said = []
    if not said:
        raise InputError(
            "recompute.py could not be run.",
            "a Python that can start another.",
            "check the system; nothing was written.",
        )
    return tuple((word, what) for word, what in said)
