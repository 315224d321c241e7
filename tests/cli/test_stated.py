"""What only a file states is shown as that, in every view of it: edited labels fool no reader."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import PROGRAM, D, flat, instrument, run

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
    release = instrument().measure([D]).release
    assert release is not None
    assert not release.guarantee.privacy.stated
    assert "privacy PROVEN," in repr(release)
