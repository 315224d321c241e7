"""What the site needs from npm, at pinned versions: `python docs/site/packages.py` fetches it.

KaTeX sets the formulas when the site is built; iframe-worker lets the search work from a folder.
`npm pack` brings each package into `.npm/`, which git ignores; the digest says that it is the one
that was pinned. Nothing is installed, no lock file is written, and no address stands here.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parents[2] / ".npm"


class PackagesError(Exception):
    """A package could not be fetched; the message says why, and what to do."""


class TamperedError(PackagesError):
    """What came is not what was pinned."""


@dataclass(frozen=True)
class Package:
    """A package of npm, and the SHA-256 of its archive."""

    name: str
    version: str
    digest: str

    @property
    def folder(self) -> Path:
        """Where it is unpacked."""
        return FOLDER / f"{self.name}-{self.version}"


KATEX = Package(
    "katex", "0.19.1", "24da5a599eb2fcede2e270b99a6ff48bca816beecc95feeb84e8cccbd1bb34fd"
)
IFRAME_WORKER = Package(
    "iframe-worker", "1.0.4", "e8c5d12d87829c503afba01d67772ea9f4aba5b7ae57a0c98e1917711030efbb"
)
PACKAGES = (KATEX, IFRAME_WORKER)


def fetch() -> None:
    """Bring what is missing; raises `PackagesError` if that cannot be done."""
    for package in PACKAGES:
        if not package.folder.is_dir():
            _fetch(package)


def _fetch(package: Package) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise PackagesError("npm is missing; install it with Node.js (apt-get install npm)")
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        asked = [npm, "pack", "--silent", "--pack-destination", folder]
        asked.append(f"{package.name}@{package.version}")
        done = subprocess.run(  # noqa: S603 -- a pinned name and version
            asked, cwd=folder, capture_output=True, text=True, check=False
        )
        archives = list(Path(folder).glob("*.tgz"))
        if done.returncode or len(archives) != 1:
            said = done.stderr.strip().splitlines()[-1:] or ["no archive came"]
            raise PackagesError(
                f"npm could not fetch {package.name} {package.version}: {said[0]}; "
                "see whether `npm ping` answers"
            )
        if hashlib.sha256(archives[0].read_bytes()).hexdigest() != package.digest:
            raise TamperedError(
                f"{package.name} {package.version} is not the archive that was pinned; "
                "do not use it, and find out where it came from"
            )
        with tarfile.open(archives[0]) as archive:
            archive.extractall(folder, filter="data")
        (Path(folder) / "package").rename(package.folder)


def main() -> None:
    """Fetch, or say why not and what to do."""
    try:
        fetch()
    except PackagesError as error:
        sys.exit(f"The site needs KaTeX for its formulas: {error}.")


if __name__ == "__main__":
    main()
