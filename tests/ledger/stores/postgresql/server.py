"""A PostgreSQL server for tests: Debian's, in a folder of its own, by a user who is not root."""

from __future__ import annotations

import importlib.util
import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

REQUIRE = "PRIVOPT_REQUIRE_POSTGRES"
_numbers = itertools.count(1)
_HBA = """
local all all trust
host all guarded all scram-sha-256
host all all all trust
"""


@cache
def programs() -> Path | None:
    """The folder of initdb and pg_ctl, of the newest version that is installed."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), key=lambda path: int(path.parts[-3])
    )
    if found:
        return found[-1].parent
    there = shutil.which("pg_ctl")
    return None if there is None else Path(there).resolve().parent


def missing() -> str | None:
    """Why no server can be started here; None if one can."""
    if importlib.util.find_spec("psycopg") is None:
        return "psycopg is not installed"
    if programs() is None:
        return "PostgreSQL is not installed (Debian: apt-get install postgresql)"
    return None


class Server:
    """One server on 127.0.0.1 and a socket; its superuser is `postgres`, without password."""

    def __init__(self, listen: str = "127.0.0.1", folder: Path | None = None) -> None:
        memory = Path("/dev/shm")  # noqa: S108
        place = folder or (memory if memory.is_dir() else None)
        self.folder = Path(tempfile.mkdtemp(prefix="privopt-pg-", dir=place))
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:  # PostgreSQL refuses root
            name = "postgres" if _is_user("postgres") else "nobody"
            person = pwd.getpwnam(name)
            os.chown(self.folder, person.pw_uid, person.pw_gid)
            self._user = {"user": person.pw_uid, "group": person.pw_gid, "extra_groups": []}
        self.folder.chmod(0o755)
        self.data, self.listen = self.folder / "data", listen
        self.port = _free_port()
        options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"]
        self._run("initdb", "-D", str(self.data), *options)
        (self.data / "pg_hba.conf").write_text(_HBA, encoding="utf-8")
        self.start()

    def start(self) -> None:
        given = [
            f"listen_addresses={self.listen}",
            f"port={self.port}",
            f"unix_socket_directories={self.folder}",
            "max_connections=120",
            "shared_buffers=32MB",
            "min_wal_size=32MB",
            "max_wal_size=256MB",
            "autovacuum_naptime=30",
        ]
        options = " ".join(f"-c {one}" for one in given)
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.data), "-w", "-l", log, "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        self._run("pg_ctl", "-D", str(self.data), "-w", "-m", mode, "stop")

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *given: str) -> None:
        folder = programs()
        assert folder is not None
        command = [str(folder / program), *given]
        done = subprocess.run(
            command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            check=False, timeout=120, **self._user,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()

    def address(self, ledger: str | None = None, user: str = "postgres", **more: str) -> str:
        """The address of a ledger, a new one unless named."""
        name = ledger or f"ledger_{next(_numbers)}"
        given = "".join(f"&{key}={value}" for key, value in more.items())
        where = f"{user}@/postgres?host={self.folder}&port={self.port}"
        return f"postgresql://{where}{given}&ledger={name}"

    def over_network(self, ledger: str, user: str, password: str = "") -> str:
        secret = f":{password}" if password else ""
        return f"postgresql://{user}{secret}@127.0.0.1:{self.port}/postgres?ledger={ledger}"

    def connect(self, user: str = "postgres", **more: Any) -> Any:
        """A connection for SQL of the test's own."""
        import psycopg

        where = f"host={self.folder} port={self.port} dbname=postgres user={user}"
        return psycopg.connect(where, autocommit=True, **more)

    def roles(self, *names: str) -> None:
        """Make roles that may log in, where they are not there."""
        with self.connect() as connection:
            for name in names:
                known = connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (name,))
                if known.fetchone() is None:
                    connection.execute(f"""CREATE ROLE "{name.replace('"', '""')}" LOGIN""")


def _is_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
