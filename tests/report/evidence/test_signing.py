"""Signatures by the user's key: verified by the program that made the key, and by no other."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from privopt.errors import InputError
from privopt.report.evidence.signing import NAMESPACE, signed

SSH = shutil.which("ssh-keygen")


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    path = tmp_path / "manifest.json"
    path.write_text('{"files": []}')
    return path


def ssh_key(folder: Path) -> Path:
    if SSH is None:
        pytest.skip("ssh-keygen (openssh-client) is not installed")
    key = folder / "key"
    command = [SSH, "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(key)]
    subprocess.run(command, check=True)
    return key


def verifies(manifest: Path, key: Path) -> bool:
    """By ssh-keygen itself, for a signer of the name "officer"."""
    allowed = key.with_name("allowed_signers")
    allowed.write_text(f"officer {key.with_suffix('.pub').read_text()}")
    command = [
        SSH or "", "-Y", "verify", "-f", str(allowed), "-I", "officer", "-n", NAMESPACE,
        "-s", f"{manifest}.sig",
    ]  # fmt: skip
    done = subprocess.run(command, input=manifest.read_bytes(), capture_output=True, check=False)
    return done.returncode == 0


def test_a_key_of_ssh_signs_and_a_change_is_seen(manifest: Path, tmp_path: Path) -> None:
    key = ssh_key(tmp_path)
    found = signed(manifest, key)
    assert (found.by, found.file) == ("ssh-keygen", "manifest.json.sig")
    assert found.how.startswith("ssh-keygen -Y verify")
    assert verifies(manifest, key)
    manifest.write_text('{"files": [1]}')
    assert not verifies(manifest, key)


def test_a_key_of_minisign_goes_to_minisign(
    manifest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where minisign is not installed, that is said; a program of its name is called."""
    key = tmp_path / "minisign.key"
    key.write_text("untrusted comment: minisign encrypted secret key\nRWQ\n")
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    with pytest.raises(InputError, match="minisign is not installed"):
        signed(manifest, key)
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "minisign"
    program.write_text('#!/bin/sh\n/bin/echo "$@" > "$5.minisig"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    found = signed(manifest, key)
    assert (found.by, found.file) == ("minisign", "manifest.json.minisig")
    said = (tmp_path / found.file).read_text().split()
    assert said == ["-S", "-s", str(key), "-m", str(manifest)]


def test_what_does_not_sign_is_told(manifest: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="could not be read"):
        signed(manifest, tmp_path / "none")
    if SSH is None:
        pytest.skip("ssh-keygen (openssh-client) is not installed")
    (tmp_path / "bad").write_text("no key")
    (tmp_path / "bad").chmod(0o600)
    with pytest.raises(InputError, match="did not sign"):
        signed(manifest, tmp_path / "bad")
