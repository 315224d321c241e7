"""What only a file states is shown as that, in every view of it: edited labels fool no reader."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import PROGRAM, D, flat, run

import privopt as po
from privopt.report.sheet import publication

SOURCE = Path(po.__file__).parent
Shown = Callable[[Any, Path], str]


def words(text: str) -> str:
    """What a reader sees of a text or a page: no style, no script, no tags, no line ends."""
    if text.lstrip().startswith("<"):
        text = re.sub(r"<(style|script)\b.*?</\1>", " ", text, flags=re.DOTALL)
        text = html.unescape(re.sub(r"<[^>]*>", " ", text))
    return flat(text)


def unmarked(text: str, label: str) -> list[str]:
    """Where a label stands without the file that states it."""
    return re.findall(rf"(?i).{{0,50}}\b{label}\b(?! as stated in its file).{{0,30}}", words(text))


def said(*arguments: object) -> str:
    return run(*arguments).output


def paged(path: Path) -> str:
    out = path.with_suffix(".html")
    said("report", path, "--out", out)
    return out.read_text()


VIEWS: dict[str, Shown] = {
    "repr": lambda made, _: repr(made),
    "str": lambda made, _: str(made),
    "guarantee": lambda made, _: str(made.guarantee),
    "summary": lambda made, _: made.summary(),
    "to_pandas": lambda made, _: made.to_pandas().to_string(),
    "notebook": lambda made, _: made._repr_html_(),
    "plot": lambda made, _: made.plot()._repr_html_(),
    "page": lambda _, path: publication(path),
    "report": lambda _, path: paged(path),
}
SILENT = {"to_pandas"}  # holds no claim


@pytest.fixture
def release(folder: Path) -> Path:
    """A release of assumed privacy whose file says that it is proven."""
    program = po.PublicProgram.from_dict(PROGRAM).program.at([D])
    noise = po.Laplace(epsilon=1.0, alpha=0.05)
    made = po.solve(program, po.Identity(["coal"]), noise, po.ExactBox(eta=0.05)).release()
    assert made.guarantee.privacy.label == "ASSUMED"
    made.save("r.json")
    data = json.loads(Path("r.json").read_text())
    for claim in data["guarantee"].values():
        claim.update(provenance="PROVEN", because="trust me", assumptions=[])
    Path("r.json").write_text(json.dumps(data))
    return folder / "r.json"


@pytest.mark.parametrize("view", VIEWS)
def test_an_edited_release(release: Path, view: str) -> None:
    text = VIEWS[view](po.Release.load(release), release)
    assert not unmarked(text, "proven")
    assert ("proven as stated in its file" in words(text).lower()) == (view not in SILENT)


def test_what_was_made_here_is_not_called_stated() -> None:
    program = po.PublicProgram.from_dict(PROGRAM).program
    noise = po.Laplace(epsilon=1.0, alpha=0.05)
    made = po.Instrument(
        {"total": ["demand"]}, program=program, privacy=noise, domain=po.Box(5.0, 7.0)
    )
    release = made.measure([D]).release
    assert release is not None
    assert not release.guarantee.privacy.stated
    assert "privacy PROVEN," in repr(release)


BARE = re.compile(r"\.word\b|provenance\.value|provenance\s*\}")
KNOWN = {
    "claims/guarantee.py": "makes the label",
    "cli/view.py": "looks the colour up",
    "mechanisms/answer.py": "a plan's charge, made here",
    "claims/worth.py": "of means over public draws: a constant, whatever a file states",
    "show/worth.py": "the same",
    "claims/curve.py": "the same",
    "show/comparison.py": "the same",
    "kernel/noisy_map.py": "a measurement's charge: its privacy claim is made anew on load",
    "experiments/privacy.py": "of a search made here",
    "app/advice.py": "of means over public draws",
    "app/rehearsal.py": "of the request about to be charged",
    "report/records.py": "of an experiment's rows: the page says below that its files state them",
    "report/methods.py": "looks up which sign a row has",
    "web/results.py": "the colour of a badge, whose words are the label; of means",
}


def test_no_other_module_shows_the_bare_word() -> None:
    found = {
        str(path.relative_to(SOURCE))
        for path in [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.jinja")]
        if BARE.search(path.read_text())
    }
    assert found == set(KNOWN)
