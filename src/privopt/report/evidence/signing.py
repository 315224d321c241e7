"""A signature of the manifest, by the user's own key: `minisign`, or `ssh-keygen -Y sign`.

    minisign key (its file says so)    manifest.json.minisig
    any other key, as of SSH           manifest.json.sig, in the namespace "privopt-evidence"

The manifest has the SHA-256 of every file, so that its signature covers all of them. privopt makes
no keys and reads none: the programs do, and ask for a passphrase themselves, if there is one.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from privopt.errors import InputError

__all__ = ["NAMESPACE", "UNSIGNED", "Signature", "signed"]

NAMESPACE = "privopt-evidence"
UNSIGNED = (
    "UNSIGNED: nothing says who made this folder. Whoever can write a folder can write all of it: "
    "ask for a signature (--sign KEY), or get the SHA-256 of manifest.json in another way."
)
_LONGEST = 600.0  # seconds for a passphrase
_SECRET = b"minisign"  # in the first line of its secret keys


@dataclass(frozen=True)
class Signature:
    """What signed, its file in the folder, and how to verify it."""

    by: str
    file: str
    how: str


def signed(manifest: Path, key: Path) -> Signature:
    """Sign a manifest, in the file beside it; InputError if that cannot be done."""
    try:
        with key.open("rb") as file:
            minisign = _SECRET in file.readline(200)
    except (OSError, ValueError) as error:
        raise InputError(
            f"the key {key} could not be read ({getattr(error, 'strerror', None) or 'no path'}).",
            "the file of a secret key, of minisign or of SSH.",
            "check the path; a new one: ssh-keygen -t ed25519 -f evidence_key.",
        ) from None
    if minisign:
        _run(["minisign", "-S", "-s", str(key), "-m", str(manifest)])
        how = f"minisign -V -m {manifest.name} -P PUBLIC_KEY"
        return Signature("minisign", f"{manifest.name}.minisig", how)
    _run(["ssh-keygen", "-Y", "sign", "-q", "-f", str(key), "-n", NAMESPACE, str(manifest)])
    how = (
        f"ssh-keygen -Y verify -f allowed_signers -I WHO -n {NAMESPACE} -s {manifest.name}.sig "
        f"< {manifest.name}   (allowed_signers: a line with WHO and the public key)"
    )
    return Signature("ssh-keygen", f"{manifest.name}.sig", how)


def _run(command: list[str]) -> None:
    """Run a program that signs; what it says goes to the terminal, where it may ask."""
    program = shutil.which(command[0])
    if program is None:
        raise InputError(
            f"{command[0]} is not installed, and the key is one of its own.",
            f"{command[0]}, or a key of another program.",
            f"install {command[0]}, or leave --sign out: the folder then says UNSIGNED.",
        )
    try:
        done = subprocess.run([program, *command[1:]], check=False, timeout=_LONGEST)  # noqa: S603
        failed = done.returncode != 0
    except (OSError, subprocess.SubprocessError):
        failed = True
    if failed:
        raise InputError(
            f"{command[0]} did not sign the manifest.",
            "a secret key that it takes, with its passphrase.",
            "see what it printed; or leave --sign out.",
        )
