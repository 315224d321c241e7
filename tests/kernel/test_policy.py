"""The part of a policy that reads d, by itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import privopt as po
from privopt.errors import InputError
from privopt.kernel.policy import PolicyKernel

SOURCE = Path(po.__file__).parent
TRUSTED = ("noise/secure.py", "noise/neighbours.py")  # drawn and calibrated by: counted too
_RELEASE = """
import sys
from privopt.kernel.policy import PolicyKernel
release = PolicyKernel.load(sys.argv[1]).release([4.0, 1.0])
loaded = {name.split(".")[0] for name in sys.modules}
print(sorted(loaded & {"clarabel", "highspy", "cvxpy", "pandas", "rich"}))
ours = [name.split(".")[1] for name in sys.modules if name.startswith("privopt.")]
print(*sorted(set(ours)))
"""


@pytest.fixture(scope="module")
def policy() -> po.Policy:
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0], quadratic=[0.1, 0.1, 0.1],
        G=[[1, 1, 0], [0, 0, 1]], d=[4.0, 1.0], lower=0, upper=8,
        private=[0], data_names=["load", "fixed"],
    )  # fmt: skip
    return po.design(
        program, po.Identity([0]), po.Laplace(epsilon=1.0, alpha=0.1), po.ExactBox(eta=0.1),
        domain=po.Box(3.0, 5.0), fidelity=1.0, floor=0.1,
    )  # fmt: skip


def test_it_releases_as_the_policy_does(policy: po.Policy, tmp_path: Path) -> None:
    """The same charge, the same key: what one released, the other replays."""
    path = tmp_path / "policy.json"
    policy.save(path)
    kernel, loaded = PolicyKernel.load(path), po.Policy.load(path)
    assert kernel.guarantee == loaded.guarantee == policy.guarantee
    assert kernel.identity is not None
    assert kernel.request(kernel.identity) == loaded.request == policy.request
    with po.Ledger(tmp_path / "ledger", limit=po.Budget(2)) as ledger:
        first = kernel.release([4.0, 1.0], ledger, "k")
        again = loaded.release([4.0, 1.0], ledger, "k")
        designed = policy.release([4.0, 1.0], ledger, "k")
    assert first == again == designed
    assert again.replayed
    assert designed.replayed


def test_it_reads_the_private_entries_alone(policy: po.Policy) -> None:
    assert policy.kernel.entries([4.0, 7.0]).tolist() == [4.0]


def test_a_policy_without_a_file_is_known_to_no_ledger(policy: po.Policy, tmp_path: Path) -> None:
    with (
        po.Ledger(tmp_path / "ledger", limit=po.Budget(2)) as ledger,
        pytest.raises(InputError, match="no file"),
    ):
        policy.kernel.release([4.0, 1.0], ledger)


@pytest.mark.parametrize(
    "change",
    [
        {"data_names": ["load", "load"]},
        {"private": [0, 0]},
        {"private": []},
        {"private": [2]},
        {"private": [-1]},
        {"private": [0, 1]},
        {"data_names": [1, 2]},
    ],
)
def test_a_file_whose_entries_do_not_fit_is_refused(
    policy: po.Policy, tmp_path: Path, change: dict[str, object]
) -> None:
    path = tmp_path / "policy.json"
    policy.save(path)
    data = json.loads(path.read_text())
    data["program"].update(change)
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match="not a whole policy"):
        PolicyKernel.load(path)


def test_a_release_loads_no_solver_and_no_model(policy: po.Policy, tmp_path: Path) -> None:
    policy.save(tmp_path / "policy.json")
    run = subprocess.run(
        [sys.executable, "-c", _RELEASE, str(tmp_path / "policy.json")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    outside, inside = run.stdout.splitlines()
    assert outside == "[]"
    assert not set(inside.split()) & {
        "solving",
        "model",
        "feasibility",
        "mechanisms",
        "assess",
        "app",
        "cli",
    }


def test_what_touches_d_is_small_enough_to_read() -> None:
    """Everything in the kernel, and what draws its noise: at most 1,550 lines."""
    files = [*(SOURCE / "kernel").glob("*.py"), *(SOURCE / name for name in TRUSTED)]
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    assert lines <= 1550


def test_values_are_on_the_grid(policy: po.Policy) -> None:
    release = policy.kernel.release([4.0, 1.0])
    assert release.exponent is not None
    steps = np.ldexp(release.values, -release.exponent)
    assert (steps == np.rint(steps)).all()
