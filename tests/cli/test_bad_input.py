"""Bad input: what is blamed and what to do, with an exit code; nothing is charged or written.

The words of a message are tested where it is written; here stand the field or the file that is
blamed and the remedy, as the command line says them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.app.writing import toml
from tests.cli.running import MEASURED, PROGRAM, TREE, D, flat, instrument, run

import privopt as po
from privopt.errors import PrivoptError

# command | blamed | remedy | exit code and class, if not 2 and InputError
COMMANDS = """
solve none.toml | 'none.toml' | privopt init
solve | [program] | --network
solve plan.toml --identity coal,ga | 'ga' | did you mean 'gas'
solve plan.toml --noise laplac | [privacy] noise | did you mean 'laplace'
solve plan.toml --network 14_iee | '14_iee' | did you mean '14_ieee'
solve plan.toml --data none.csv | none.csv | check the path
solve plan.toml --data . | . could not be | check the path
solve plan.toml --program d.csv | d.csv | check the path
measure plan.toml | [domain] | --lower
release plan.toml --mechanism noise | [design] mechanism | check the spelling
release --no-ledger job.toml --key may | a key | --ledger
release plan.toml --ledger new.ledger | new.ledger | --limit
release plan.toml | no ledger would count | --ledger
frontier job.toml | the values | --from
frontier job.toml --over epsilom --values 1 | --over | did you mean 'epsilon'
frontier job.toml --from 1 --to inf | the values | --from
frontier job.toml --values 1,x | the values | --from
frontier job.toml --from 1 | the values | --from
frontier job.toml --values 1 --to 2 | the values | --from
frontier job.toml --values 1e301 | the values | --from
frontier job.toml --from 1 --to 1 | the values go from | swap them
frontier plan.toml --over fidelity --values 1 | 'fidelity' | choose one of these
frontier job.toml --over phi --values 1 | 'phi' | choose one of these
frontier job.toml --within 0.5 --values 1 | [design] within | use fidelity
frontier job.toml --values -1 | epsilon | use about 0
frontier job.toml --over fidelity --values -1 | fidelity | use larger values
frontier plan.toml --over eta --values 2 | eta | use 0
verify --release none.json | 'none.json' | check the path
init --network 14 | '14' | did you mean '14_ieee'
init --network mine.m | --network | --case
init --network 5_pjm --program program.json | --network and --program | leave one out
init --program none.json | 'none.json' | check the path
init --program program.json --out d.ledger --overwrite | d.ledger | --out
measure job.toml --measure deman | 'deman' | did you mean 'demand'
measure job.toml --measure none.csv | none.csv | check the file
measure job.toml --measure d.csv | [design] measure | --data-are-public
measure job.toml --measure d.csv --data e.csv | d.csv | check the file
measure job.toml --measure program.json | program.json | check the file
measure job.toml --data none.csv | none.csv | check the path
measure job.toml --key may --ledger none.ledger | none.ledger | --limit
measure job.toml --ledger d.ledger --limit 2 | without a key | --key
measure job.toml --measure zones.csv NEW | zones.csv | correct the names
measure job.toml --measure twice.csv NEW | 'a' | take one out
measure job.toml --measure i_other.json NEW | measure= | --overwrite | 2 CombinationError
measure job.toml --measure i_alpha.json NEW | measure= | --overwrite | 2 CombinationError
measure job.toml --measure i_domain.json NEW | measure= | --overwrite | 2 CombinationError
measure job.toml --measure cut.json NEW | cut.json | check the file
measure job.toml --data nan.csv NEW | nan.csv | --reveal
measure job.toml --data names.csv NEW | names.csv | --reveal
measure job.toml --lower 8 NEW | domain | check that lower and
measure job.toml --alpha 1e90 NEW | alpha | set alpha to the
measure job.toml --epsilon 5 NEW | epsilon 5 | privopt ledger | 4 BudgetExceededError
measure alpha.toml NEW | alpha | make the release with | 2 LedgerError
measure other.toml NEW | private set | make the release with | 2 LedgerError
measure job.toml --ledger d.ledger --key new --out d.ledger | d.ledger | --out
release job.toml --measure zones.csv NEW | zones.csv | correct the names
release job.toml --data nan.csv NEW | nan.csv | --reveal
release alpha.toml NEW | alpha | make the release with | 2 LedgerError
decide job.toml | no measurement | --measurement
decide job.toml --measurement none.json | 'none.json' | check the path
decide job.toml --measurement program.json | program.json | --program
decide job.toml --measurement broken.json | broken.json | check the file
decide job.toml --measurement cut.json | cut.json | --measurement
decide job.toml --measurement i_alpha.json | i_alpha.json | --measure
decide job.toml --measurement d.ledger | d.ledger | privopt ledger show
decide job.toml --measurement m_other.json | the measurement | measure with
decide job.toml --measurement m_domain.json | the domain of demand | correct [domain] of the
decide job.toml --measurement june.json --measurement m.json | d, june | decide from each by
decide job.toml --measurement m.json --program other.json | the measurement | measure with
decide other.toml --measurement m.json | the measurement | measure with
decide alpha.toml --measurement m.json | the job protects others | correct [privacy] of the
decide job.toml --measurement m.json --eta 0 | eta | use 0
decide job.toml --measurement m.json --out m.json | m.json | --out
decide job.toml --measurement m.json --feasibility joint | [feasibility] | --beta
decide job.toml --measurement m.json --within 1 --fidelity 1 | [design] | leave the others out
decide job.toml --check m.json | --check was given with | --measurement
decide --check m.json | m.json | --measurement
decide --check none.json | 'none.json' | check the path
choose job.toml --out d.ledger --overwrite | d.ledger | --out
choose two.toml --measure nort | 'nort' | did you mean 'north'
choose two.toml --measure program.json | program.json | check the file
choose two.toml --out two.json | two.json | --out
choose two.toml --out two.csv --overwrite | two.csv | --out
choose two.toml --out none/i.json | 'none/i.json' | make the folder first
choose two.toml --feasibility joint --beta 0.01 | Joint | use ExactBox | 2 CombinationError
choose two.toml --identity hydro | hydro | leave out hydro | 2 NotImplementableError
choose two.toml --within 1e-9 | no instrument | take a larger | 3 InfeasibleError
choose two.toml --upper 40 | measurement | take a larger | 3 InfeasibleError
choose two.toml --data d.csv | No such option: --data | --help | 2
advise two.toml --identity coal,gas | coal + gas | leave one | 2 NotImplementableError
advise two.toml --data d.csv | No such option: --data | --help | 2
audit --instrument i.json --data d.csv | one file | pass both or neither
audit 3_lmbd --instrument i.json --data d.csv --neighbour e.csv | one file | pass both or neither
audit --instrument none.json --data d.csv --neighbour e.csv | 'none.json' | check the path
audit 3_lmbd --out none/page.html | 'none/page.html' | make the folder first
audit 3_lmbdd | '3_lmbdd' | did you mean '3_lmbd'
audit 3_lmbd --samples 100 --confidence 2 | confidence | use 0
audit 3_lmbd --epsilon -1 | epsilon | use about 0
experiment table1 --networks 118_iee --out out | '118_iee' | did you mean '118_ieee'
experiment table1 --networks none.m --out out | 'none.m' | check it with
experiment table1 --networks 3_lmbd,3_lmbd --out out | '3_lmbd,3_lmbd' | write for example 3_lmbd
experiment table1 --algorithms PIQ-z --out out | 'PIQ-z' | --algorithms
experiment privacy --algorithms OP --out out | 'OP' | --algorithms
experiment figure2 --cbars ten --out out | 'ten' | write for example 10
experiment figure2 --cbars 0.5 --out out | '0.5' | write for example 10
experiment figure2 --cbars nan --out out | 'nan' | write for example 10
report program.json | program.json | --program
report job.toml | job.toml | --dry-run
report d.csv | d.csv | check the path
report none | none | check the path
audit i.json | i.json | --measure
audit d.ledger | d.ledger | privopt ledger show
evidence d.ledger --ledger d.ledger --out ev | d.ledger | leave it out
evidence m.json --out ev | Missing option '--ledger'. | --help | 2
evidence m.json --ledger d.ledger | Missing option '--out'. | --help | 2
evidence m.json --ledger none.ledger --out ev | none.ledger | privopt ledger create | 2 LedgerError
evidence d.csv --ledger d.ledger --out ev | d.csv | leave it out
verify --release i.json | i.json | --measure
verify job.toml | job measures | --decision
verify m.json --release m.json | m.json | --measurement
verify m.json --ledger none.ledger | none.ledger | privopt ledger create | 2 LedgerError
networks nowhere | 'nowhere' | privopt networks
open none.toml --no-browser | none.toml | privopt init
demo --runs 0 | Invalid value for '--runs' | --help | 2
dance | No such command 'dance' | --help | 2
check plan.toml | [domain] | --lower
solve --epsilon one | [privacy] epsilon | --epsilon
solve --epsilon 1e999 | [privacy] epsilon | --epsilon
solve --epsilon ١ | [privacy] epsilon | --epsilon
solve --identity x,,y | [query] identity | --identity
solve --threads 1.0 | [settings] threads | --threads
solve --threads 9999999999999999999 | [settings] threads | --threads
solve --sum a;;b | [query] sum | --sum
solve --ledger x | No such option: --ledger | --help | 2
solve --network 3_lmbd --case x.m | [program] of | leave the others out
solve --case none.m | 'none.m' | check it with
solve --noise gauss --epsilon 1 | [privacy] noise | did you mean 'gaussian'
solve --feasibility exact-box --eta 0.1 --beta 0.1 | [feasibility] of | leave beta out
solve plan.toml --program fixed.json --private contract | 'demand' | save the program with
solve plan.toml --program fixed.json | 'contract' | save the program with
solve --program program.json --model matpower | [program] has | leave it out
ledger create new x | 'x' | 1 is common
ledger create new 1 --delta 2 | '2' | 1e-6 is common
ledger create new 1 --alpha 0 | alpha | set it to the
ledger create d.ledger 5 | d.ledger | privopt ledger show | 2 LedgerError
ledger show none.ledger | none.ledger | privopt ledger create | 2 LedgerError
ledger show d.csv | d.csv | check the path | 2 LedgerError
ledger show . | '.' | check the path
ledger show d.ledger --compose 1 | delta | 1e-6 is common
ledger show d.ledger --compose x | Invalid value for '--compose' | --help | 2
ledger show other://host/secret | other:// | check how the address
ledger verify none.ledger | none.ledger | privopt ledger create | 2 LedgerError
ledger limit none.ledger 2 --yes | none.ledger | privopt ledger create | 2 LedgerError
ledger quota none.ledger | none.ledger | privopt ledger create | 2 LedgerError
ledger verify d.csv | d.csv | check the path | 2 LedgerError
ledger limit d.csv | d.csv | check the path | 2 LedgerError
ledger verify d.ledger --head "" | --head | privopt ledger
ledger verify d.ledger --head 6 | --head | privopt ledger
ledger verify d.ledger --head 6:GGGG | --head | privopt ledger
ledger verify d.ledger --head 9...:0... | --head | privopt ledger
ledger verify d.ledger --head 999999999999999999999999999999:0... | --head | privopt ledger
ledger limit d.ledger x | 'x' | 1 is common
ledger quota d.ledger 1 | no releaser was named. | --releaser
ledger fetch d.ledger --row 1 | row 1 | privopt ledger show
ledger fetch d.ledger --row 99 | row 99 | privopt ledger show
ledger fetch d.ledger --key none | 'none' | privopt ledger show
ledger fetch d.ledger | row and key were | row=2
ledger fetch d.ledger --row 2 --key may | row and key were | row=2
ledger fetch d.ledger --row 2 --out none/x | 'none/x' | make the folder first
ledger fetch d.ledger --row 2 --out d.ledger --overwrite | d.ledger | --out
ledger redact d.ledger 1 --yes | row 1 | privopt ledger show
ledger create l 1 --releaser anna | roles | privopt ledger
ledger grant d.ledger --reader anna | roles | privopt ledger
ledger revoke d.ledger anna | roles | privopt ledger
"""
NEW = "--ledger d.ledger --limit 2 --key new --out new.json"
# section: entries | blamed | remedy
JOBS = """
privcy: | 'privcy' | did you mean 'privacy'
privacy: epsilom = 1 | [privacy] | did you mean 'epsilon'
feasibility: epsilon = 1 | [feasibility] | it belongs in [privacy]
: epsilon = 1 | 'epsilon' | it belongs in [privacy]
: program = 1 | bad.toml | write that
privacy: epsilon = "1" | [privacy] epsilon | --epsilon
privacy: epsilon = true | [privacy] epsilon | --epsilon
privacy: epsilon = nan | [privacy] epsilon | --epsilon
privacy: noise = 3 | [privacy] noise | --noise
privacy: noise = "lapalce" | [privacy] noise | did you mean 'laplace'
privacy: epsilon = 1.0; alpha = 1; delta = 0.1 | [privacy] | leave delta out
privacy: epsilon = 1.0 | [privacy] | --alpha
design: mechanism = "noise" | [design] mechanism | check the spelling
feasibility: eta = 0.05 | [feasibility] | add for example kind
feasibility: kind = "joint"; eta = 0.05 | [feasibility] | --beta
query: identity = ["x"]; sum = [["x"]] | [query] | leave the others out
query: identity = [1.5] | [query] identity | --identity
query: sum = [1, 2] | [query] sum | --sum
query: sum = ["a"] | [query] sum | --sum
query: separate = true; identity = [1] | [query] | leave the others out
query: separate = true | [query] | leave it out
query: separate = 1 | [query] separate | --separate
program: network = "14_ieeee" | '14_ieeee' | did you mean '14_ieee'
program: network = "x/case.m" | [program] network | --case
program: file = "" | [program] file | --program
program: model = "matpower" | the job names no | --network
program: case = "none.m" | none.m | check it with
domain: lower = 1 | [domain] | leave the domain out
domain: lower = [] | [domain] lower | --lower
program: network = "3_lmbd"; [domain] lower = 1 | [domain] | --upper
program: network = "3_lmbd"; [domain] around = 7 | [domain] around | use 0
privacy: epsilon = 1.0; alpha = "alpha.csv" | [privacy] alpha | write the values into
ledger: path = "x"; delta = 0.1 | [ledger] | add limit
ledger: path = "x"; limit = true | [ledger] limit | --limit
settings: seed = -1 | [settings] seed | use 0
settings: threads = 1.5 | [settings] threads | --threads
settings: threads = 1000000000000000000 | [settings] threads | --threads
output: path = "" | [output] path | --out
output: path = "~nobody-at-all/x.json" | [output] path | --out
data: file = "~nobody-at-all/x" | [data] file | --data
data: file = 3 | [data] file | --data
: x =; y = 1 | bad.toml | privopt init
"""
STRANGE = [
    "[program]\nfile." + ".".join("a" * 5000) + " = 1",
    "[program." + ".".join("a" * 5000) + "]",
    "[program]\nfile." + ".".join(["'='"] * 5000) + " = 1",
    "[program]\nfile." + ".".join(['"\\""'] * 5000) + " = 1",
    "[privacy]\nepsilon = " + "[" * 400 + "]" * 400,
    "[privacy]\nepsilon = 0x" + "f" * 9000,
    "[privacy]\nepsilon = " + "9" * 5000,
    "[settings]\nthreads = 0b" + "1" * 90_000,
    "[privacy]\nnoise = 0x" + "f" * 9000,
    '"' + "\\" * 50_001,
    "\0",
]
FILES = {
    "cut.json": "",
    "e.csv": f"name,value\ndemand,{D}\n",
    "nan.csv": "name,value\ndemand,nan\n",
    "names.csv": f"name,value\nzz,{D}\n",
    "other.csv": "name,value\nother,6.1\n",
    "twice.csv": "entry,zone\ndemand,a\ndemand,a\n",
    "two.csv": "north,5.1\nsouth,2.7\n",
    "zones.csv": "entry,zone\nzz,a\n",
}
PROGRAMS = {
    "other": {"data_names": ["other"]},
    "two": {"G": [[1, 1, 0], [0, 0, 1]], "upper": 9, "data_names": ["north", "south"]},
    "fixed": {"G": [[1, 1, 1], [0, 1, 0]], "data_names": ["demand", "contract"], "private": [0]},
}
OTHERS = {
    "job": {},
    "alpha": {"privacy": TREE["privacy"] | {"alpha": 0.07}},
    "other": {"program": {"file": "other.json"}, "data": {"file": "other.csv"}},
    "two": {
        "program": {"file": "two.json"}, "data": {"file": "two.csv"},
        "query": {"identity": ["coal"]}, "domain": {"lower": 2, "upper": 6},
        "design": {"mechanism": "measured", "measure": "choose"},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job, what was measured for it, and files of other data, alphas, domains and datasets."""
    folder = tmp_path_factory.mktemp("stock")
    made = {f"{name}.toml": toml(TREE | MEASURED | more) for name, more in OTHERS.items()}
    made |= {f"{name}.json": json.dumps(PROGRAM | more) for name, more in PROGRAMS.items()}
    first = {"d.csv": FILES["e.csv"], "plan.toml": toml(TREE), "program.json": json.dumps(PROGRAM)}
    for name, text in (FILES | made | first).items():
        (folder / name).write_text(text)
    for name, dataset in (("m", "d"), ("june", "june")):
        place = folder / f"{dataset}.ledger"
        with po.Ledger(place, limit=po.Budget(2.0), dataset=dataset) as ledger:
            instrument().measure([D], ledger, "may").save(folder / f"{name}.json")
    for name, one in (
        ("", instrument()), ("_other", instrument("other")), ("_alpha", instrument(alpha=0.07)),
        ("_domain", instrument(lower=4.0)),
    ):  # fmt: skip
        one.save(folder / f"i{name}.json")
        one.measure([D]).save(folder / f"m{name or '_none'}.json")
    text = (folder / "m.json").read_text()
    (folder / "cut.json").write_text(text[:300])
    halved = json.loads(text)
    halved["release"]["scale"] /= 2
    (folder / "broken.json").write_text(json.dumps(halved))
    return folder


@pytest.fixture
def unchanged(stock: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """All files stay, but those of the ledger, which is looked at by its rows."""

    def state() -> dict[str, bytes]:
        with po.Ledger("d.ledger", read_only=True) as ledger:
            rows = str(ledger.events).encode()
        files = (item for item in stock.iterdir() if not item.name.startswith("d.ledger"))
        return {item.name: item.read_bytes() for item in files} | {"rows": rows}

    monkeypatch.chdir(stock)
    before = state()
    yield stock
    assert state() == before


def refused(words: str, blamed: str, remedy: str, ends: str = "2 InputError") -> None:
    """It ends as it must, blames that, says what to do, and shows neither a result nor d."""
    code, *kind = ends.split()
    result = run(words, code=int(code))
    error: BaseException | None = result.exception
    while error is not None and not isinstance(error, PrivoptError):
        error = error.__context__
    assert [type(error).__name__] * bool(error) == kind
    got, _, rest = flat(result.stderr).partition("needed: ")
    assert blamed in got, result.stderr
    assert remedy in (rest.partition("-> ")[2] if kind else got), result.stderr
    assert result.stdout == ""
    assert str(D)[:6] not in result.output


@pytest.mark.parametrize("row", COMMANDS.strip().splitlines())
def test_a_command(unchanged: Path, row: str) -> None:
    words, *rest = row.split(" | ")
    verb = words.split()[0]
    free = verb in ("measure", "release") and "NEW" not in words and "--ledger" not in words
    more = " --no-ledger" if free and words != "release plan.toml" else ""
    for short, long in (("NEW", NEW), ("9...", "9" * 5000), ("0...", "0" * 64)):
        words = words.replace(short, long)
    refused(words + more, *rest)


@pytest.mark.parametrize("row", JOBS.strip().splitlines())
def test_a_job_file(unchanged: Path, tmp_path: Path, row: str) -> None:
    text, *rest = row.split(" | ")
    section, _, entries = text.partition(":")
    lines = [f"[{section}]"] * bool(section) + entries.replace("] ", "]; ").split("; ")
    (tmp_path / "bad.toml").write_text("\n".join(lines))
    refused(f"solve {tmp_path / 'bad.toml'}", *rest)


@pytest.mark.parametrize("content", STRANGE, ids=range(len(STRANGE)))
def test_a_strange_job_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "bad.toml").write_text(content)
    refused(f"solve {tmp_path / 'bad.toml'}", "", "")
