"""Hostile jobs and hostile outputs: what a command may not touch stays as it is, to the byte.

Every command runs in the folder `here`, beside a `home` that no job file may reach. Whatever is
asked: inputs and ledgers are never written over, other files only with --overwrite; a charge has
its release in the file that was asked for, or is told with its row.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from collections.abc import Generator
from pathlib import Path

from tests.fuzz import commands
from tests.fuzz.holds import check_file, quiet, refusals
from tests.fuzz.inputs import Rng, pick
from tests.fuzz.samples import JOB, samples
from tests.ledger.requests import request

from privopt.ledger import Budget, Ledger

OUTPUTS = (
    "new.json", "new.html", "paid.json", "link.json", "dangling.json", "loop.json", "pipe.json",
    "folder.json", "folder.json/new.json", "fold/new.json", "none/new.json", "x" * 250 + ".json",
    "x" * 260, "l.ledger", "hard.json", "l.ledger-journal", "l.ledger-wal", "instrument.json",
    "d.json", "job.toml", "./d.json", "sub/../d.json", "release.json", "copy.ledger", "/dev/full",
    "/dev/null", "/dev/stdout", "/proc/self/mem", "", ".", "..", "~", "a\tb.json", "\udcff.json",
    "-", "new.json/", "../home/.bashrc", "../home/new.json", ".hidden.json", "~/.bashrc",
    "é€𝄞.json", "away/new.json", "away.json", "sub/new.json",
)  # fmt: skip
ENTRIES = (
    "[output]\n{own} = {path}\n",
    "[output]\npath = {path}\n",
    "[output]\npath = {path}\n{own} = {path}\n",
    "[ledger]\npath = {path}\nlimit = 2\n",
    "[ledger]\npath = {path}\nlimit = 2\n[output]\npath = {path}\n",
    "[output]\n{own}.a.b = {path}\n",
    "[output]\n{own} = [{path}]\n",
    "[output]\n{own} = 0x{digits}\n",
    "[output." + ".".join("a" * 3000) + "]\n",
    "[output]\n" + ".".join("a" * 3000) + " = 1\n",
    "[ledger]\nlimit = {digits}\n",
    "[settings]\nthreads = 0x{digits}\n",
)
GOOD = "lower = 1.0\nupper = 2.0"
DOMAINS = (
    GOOD, GOOD, GOOD, "lower = -1e308\nupper = 1e308", "lower = 1e308\nupper = 1e308",
    'lower = "d.json"\nupper = 2.0', 'lower = 1.0\nupper = "d.json"', "lower = 1.0\nupper = 1e101",
    "lower.a.b.c = 1\nupper = 2.0", "lower = [1.0]\nupper = 2.0", "around = 1e308",
    'lower = "pipe.json"\nupper = 2.0', 'lower = "l.ledger"\nupper = 2.0',
)  # fmt: skip
COMMANDS = {"measure": "measurement", "release": "release", "frontier": "page"}


def stock(folder: Path) -> Path:
    """The folder of a job with everything that could be hurt, and a home beside it."""
    have = samples()
    here, home = folder / "here", folder / "home"
    for place in (here, home, here / "folder.json", here / "sub"):
        place.mkdir()
    (home / ".bashrc").write_bytes(b"echo hello\n")
    files = {
        "instrument.json": have.measured["instrument"], "program.json": have.program,
        "d.json": b"[1.5, 1.5]",
        "e.json": b"[1.5, 1.55]", "paid.json": have.releases[0], "job.toml": JOB,
        "release.json": have.releases[0],
    }  # fmt: skip
    for name, content in files.items():
        (here / name).write_bytes(content)
    with Ledger(here / "l.ledger", Budget(2)):
        pass
    (here / "copy.ledger").write_bytes((here / "l.ledger").read_bytes())
    os.link(here / "d.json", here / "hard.json")
    for name, aim in (("link.json", "paid.json"), ("dangling.json", "nowhere"),
                      ("loop.json", "loop.json"), ("away", home), ("away.json", home / ".bashrc"),
                      ("fold", "sub")):  # fmt: skip
        (here / name).symlink_to(aim)
    os.mkfifo(here / "pipe.json")
    return here


def seen(folder: Path) -> dict[str, bytes]:
    """Every file and link below a folder; of a link, where it leads."""
    return {
        str(path.relative_to(folder)): os.fsencode(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


def output(rng: Rng, folder: Path) -> None:
    """A command with a hostile --out, and a standard output that may take nothing."""
    here = stock(folder)
    paying = ["release", "job.toml", "--plan", "--data", "d.json", "--ledger", "l.ledger"]
    words = pick(rng, (
        ["measure", "job.toml", "--no-ledger", "--clamp"], paying, paying, [*paying, "--key", "k"],
        ["release", "--no-ledger", "job.toml", "--plan", "--data", "d.json"],
        ["report", "release.json"],
        ["audit", "--instrument", "instrument.json", "--data", "d.json", "--neighbour", "e.json",
         "--samples", "100"],
        ["init", "--program", "program.json"], ["init", "--program", "program.json", "--data",
                                                pick(rng, OUTPUTS)],
    ))  # fmt: skip
    more = [] if rng.random() < 0.2 else ["--out", pick(rng, OUTPUTS)]
    more += ["--overwrite"] if rng.random() < 0.5 else []
    more += ["--json"] if rng.random() < 0.2 and words[0] != "init" else []
    if rng.random() < 0.1 and words[0] == "release":
        more.append("--dry-run")
    _hold(rng, folder, here, [*words, *more], job=None)


def job(rng: Rng, folder: Path) -> None:
    """A command on a hostile job file."""
    here = stock(folder)
    command = pick(rng, tuple(COMMANDS))
    path = pick(rng, OUTPUTS)
    quoted = '"' + path.replace("\\", "\\\\").replace("\t", "\\t") + '"'
    entry = pick(rng, ENTRIES).format(own=COMMANDS[command], path=quoted, digits="7" * 5000)
    text = JOB.decode().replace("values = [1.5, 1.5]", 'file = "d.json"')
    text = text.replace("lower = 1.0\nupper = 2.0", pick(rng, DOMAINS))
    (here / "job.toml").write_bytes((text + entry).encode("utf-8", "surrogateescape"))
    words = [command, "job.toml", *(["--values", "1"] if command == "frontier" else [])]
    words += ["--overwrite"] if rng.random() < 0.5 else []
    if command != "frontier":
        words += [] if entry.startswith("[ledger]") else ["--no-ledger"]
        words += ["--plan"] if command == "release" and rng.random() < 0.5 else ["--clamp"]
    _hold(rng, folder, here, words, job=entry)


def _hold(rng: Rng, folder: Path, here: Path, words: list[str], *, job: str | None) -> None:
    """Run it, and look at what became of everything."""
    before, charged = seen(folder), _charges(here)
    full = rng.random() < 0.1
    with _inside(here, folder / "home"), quiet():
        ended = commands.run(words, full=full)
    told = (words, job, full, ended)
    assert ended.code in commands.CODES, told
    assert "Traceback" not in ended.said, told
    after = seen(folder)
    inputs = {word for k, word in enumerate(words) if words[k - 1] not in ("--out", "--data")}
    if "job.toml" in words:
        inputs |= {"program.json", *(["d.json", "hard.json"] if job is not None else [])}
    if words[0] in ("release", "audit"):
        inputs |= {"d.json", "hard.json"}
    inputs |= {"copy.ledger", "link.json", "dangling.json", "loop.json", "away", "away.json"}
    paying = {"here/l.ledger"}
    if job is not None and job.startswith("[ledger]") and '"copy.ledger"' in job:
        paying.add("here/copy.ledger")  # it is one, and the job says that it pays
    for name in before.keys() - paying:
        allowed = "--overwrite" in words and name.removeprefix("here/") not in inputs
        assert after.get(name) == before[name] or (allowed and name in after), (name, told)
    if job is not None:  # whoever says --out ~/.bashrc --overwrite gets it; a job file does not
        assert after["home/.bashrc"] == before["home/.bashrc"], told
    for name in after.keys() - before.keys():
        if name.startswith("here/l.ledger-"):  # SQLite's own
            continue
        assert not name.endswith(".part"), (name, told)
        assert name.startswith("here/") or (job is None and name == "home/new.json"), (name, told)
        check_file(folder / name, after[name])
    rows = _charges(here)
    if rows > charged and ended.code != 0:
        assert re.search(r"Row \d+ of the ledger was|It is whole in", ended.said), told
    if ended.code == 4 or "Nothing was charged or released" in ended.said:
        assert rows == charged, told


@contextlib.contextmanager
def _inside(here: Path, home: Path) -> Generator[None]:
    before, was = Path.cwd(), os.environ.get("HOME")
    os.chdir(here)
    os.environ["HOME"] = str(home)
    try:
        yield
    finally:
        os.chdir(before)
        if was is None:
            del os.environ["HOME"]
        else:
            os.environ["HOME"] = was


def _charges(here: Path) -> int:
    """How many the ledger has, which is whole."""
    with Ledger(here / "l.ledger", read_only=True) as ledger:
        return ledger.verify().charges


SCHEMAS = (
    "ALTER TABLE entries RENAME TO kept; CREATE VIEW entries AS SELECT * FROM kept",
    "CREATE TRIGGER quiet BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END",
    "CREATE TRIGGER undo AFTER INSERT ON entries BEGIN DELETE FROM entries; END",
    "ALTER TABLE entries RENAME TO kept; CREATE VIEW entries AS SELECT * FROM kept; CREATE TRIGGER "
    "free INSTEAD OF INSERT ON entries BEGIN SELECT 1; END",
    "CREATE TABLE more (x); CREATE VIEW seen AS SELECT * FROM entries",
    "CREATE INDEX odd ON entries (length(time))",
    "PRAGMA user_version = 99",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA journal_mode = WAL",
    "PRAGMA application_id = 0",
    "DROP TRIGGER IF EXISTS never_changed; UPDATE entries SET limit_epsilon = 9",
)


def schema(rng: Rng, folder: Path) -> None:
    """A ledger whose tables someone changed gives our errors and no others."""
    path = folder / "l.ledger"
    path.write_bytes(samples().ledger)
    with contextlib.suppress(sqlite3.Error), contextlib.closing(sqlite3.connect(path)) as changed:
        for _ in range(int(rng.integers(1, 3))):
            changed.executescript(pick(rng, SCHEMAS))
    with refusals(), Ledger(path) as opened:
        opened.charge(request("0.05"), lambda _: b"output")
    with refusals(), Ledger(path, read_only=True) as looked:
        looked.verify()
    for words in (["show"], ["verify"], ["limit"]):
        ended = commands.run(["ledger", *words, str(path)])
        assert ended.code in (0, 2), ended
        assert "Traceback" not in ended.said, ended
