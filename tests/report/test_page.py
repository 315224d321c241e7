"""The page as text: what it says, that it is safe and always the same."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import privopt.report
from privopt.errors import InputError


class Outline(HTMLParser):
    """Headings, ids, links, tables, plots and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tables, self.captions, self.scripts = 0, 0, 0
        self.plots: list[dict[str, str | None]] = []
        self.words: list[str] = []
        self.title = ""
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.inside = tag
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        self.tables += tag == "table"
        self.captions += tag == "caption"
        self.scripts += tag == "script"
        if found.get("id"):
            self.ids.append(found["id"] or "")
        if tag == "a":
            self.links.append(found["href"] or "")
        if "data-plot" in found:
            self.plots.append(found)

    def handle_data(self, data: str) -> None:
        if self.cdata_elem is None:
            self.words.append(data)
        if self.inside == "title" and not self.title:
            self.title = data

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def page(folder: Path, name: str = "report.html") -> str:
    """A page of the folder."""
    pages = {path.name: path for path in privopt.report.write(folder)}
    return pages[name].read_text(encoding="utf-8")


def outlines(folder: Path) -> dict[str, Outline]:
    """All pages of the folder."""
    return {path.name: Outline(path.read_text("utf-8")) for path in privopt.report.write(folder)}


def change(folder: Path, name: str, **row: Any) -> None:
    """Change the first row of an experiment."""
    path = folder / f"{name}.json"
    data = json.loads(path.read_text())
    data["rows"][0] |= row
    path.write_text(json.dumps(data))


def test_the_pages_are_well_built(folder: Path) -> None:
    tables = {"report.html": 2 + 2, "privacy.html": 1 + 2}
    pages = outlines(folder)
    assert list(pages) == list(tables)
    for name, outline in pages.items():
        assert outline.levels[0] == 1
        assert outline.levels.count(1) == 1
        for above, below in zip(outline.levels, outline.levels[1:], strict=False):
            assert below <= above + 1
        assert outline.tables == outline.captions
        assert outline.tables >= tables[name]
        assert len(outline.ids) == len(set(outline.ids))
        inside = {link for link in outline.links if link.startswith("#")}
        assert {link[1:] for link in inside} <= set(outline.ids)
        assert set(outline.links) - inside == set(pages) - {name}
        assert outline.plots
        assert outline.scripts == 1


def test_each_page_has_its_headline_and_its_own_methods_only(folder: Path) -> None:
    pages = outlines(folder)
    assert len({outline.title for outline in pages.values()}) == 2
    paper, privacy = (outline.text for outline in pages.values())
    assert "experiments, run again" in paper
    assert "Dvorkin" in paper
    assert "lower bound" not in paper.lower()
    assert "Whether privacy is assumed or proven" in privacy
    assert "sampled box" not in privacy
    assert "Table 2" not in privacy


def test_a_page_weighs_little(folder: Path) -> None:
    """A hundred runs of every network: below half a megabyte; Plotly alone had five."""
    sizes = {path.name: path.stat().st_size for path in privopt.report.write(folder)}
    assert sizes["report.html"] < 500_000
    assert sizes["privacy.html"] < 60_000


def test_a_figure_without_any_plan_says_so(folder: Path) -> None:
    data = json.loads((folder / "figure2.json").read_text())
    empty = {"loss": None, "loss_variance": None, "solution_variance": None}
    data["rows"] = [row | empty for row in data["rows"]]
    (folder / "figure2.json").write_text(json.dumps(data))
    text = page(folder)
    assert "no run had a plan" in text
    assert 'data-plot="figure2-' not in text


def test_the_headline_counts_and_each_miss_is_marked(folder: Path) -> None:
    text = page(folder)
    outline = Outline(text)
    assert "49 of 50" in outline.text
    assert "Not reproduced: 57_ieee PIQ-s violation (−" in outline.text
    assert len(re.findall('<td class="difference (?:beyond|far|absent)', text)) == 1
    assert len(re.findall('<td class="difference within', text)) == 49


def test_what_is_ours_is_set_apart_and_infeasible_runs_are_told(folder: Path) -> None:
    text = page(folder)
    ours = re.findall(r'<tr class="added">\s*<th[^>]*>.*?</svg>\s*([a-z ]+?)\s*<', text, re.DOTALL)
    assert set(ours) == {"exact margins", "exact box", "sampled box", "joint factor"}
    assert len(ours) == 6 * 3 + 2 + 4 * 2
    assert text.count("3 of 100 runs infeasible") == 5
    assert "118_ieee PIQ-s, 3 infeasible" in Outline(text).text


def test_what_no_file_can_tell_is_said_in_each_section(folder: Path) -> None:
    """Why numbers differ and what is assumed: each section has its own sentences, Tables share."""
    texts = [path.read_text("utf-8") for path in privopt.report.write(folder)]
    text = "".join(texts)
    sections = re.findall(r'<section id="(\w+)">(.*?)</section>', text, flags=re.DOTALL)
    why = {name: re.findall(r"<li>(.*?)</li>", part.partition('class="why"')[2])
           for name, part in sections}  # fmt: skip
    assert {name: len(said) for name, said in why.items() if said} == {
        "privacy": 4, "table1": 5, "table2": 5, "figure2": 2, "drawing": 1,
    }  # fmt: skip
    assert why["table1"][0] == why["table2"][0]
    assert "rests on an assumed sensitivity (ASSUMED)" in why["table1"][-1] == why["table2"][-1]
    assert text.count('class="caveat"') == 1


@pytest.mark.long
def test_the_same_files_give_the_same_bytes(folder: Path) -> None:
    first = [path.read_bytes() for path in privopt.report.write(folder)]
    assert [path.read_bytes() for path in privopt.report.write(str(folder))] == first
    code = f"import privopt.report; privopt.report.write({str(folder)!r})"
    seed = os.environ | {"PYTHONHASHSEED": "5"}
    subprocess.run([sys.executable, "-c", code], check=True, env=seed)
    assert (folder / "report.html").read_bytes() == first[0]


@pytest.mark.long
@pytest.mark.parametrize("name", ["</script><script>alert(1)</script>", "<b>&amp;", "\"'><img>"])
def test_names_from_the_files_stay_text(folder: Path, name: str) -> None:
    before = outlines(folder)
    for table in ("table1", "table2"):
        change(folder, table, network=name, algorithm=name, guarantee=f"{name} [{name}]")
    told = [{"reason": name, "runs": 1}]
    change(folder, "privacy", network=name, algorithm=name, privacy=name, reasons=told)
    change(folder, "figure2", network=name)
    drawing = json.loads((folder / "drawing.json").read_text())
    drawing["network"] = drawing["nodes"][0]["bus"] = drawing["edges"][0]["from"] = name
    (folder / "drawing.json").write_text(json.dumps(drawing))
    for path in privopt.report.write(folder):
        text = path.read_text("utf-8")
        outline = Outline(text)
        assert outline.scripts == before[path.name].scripts == 1
        assert " ".join(name.split()) in outline.text
        assert name not in text


def test_a_network_that_the_paper_does_not_have_is_shown_without_marks(folder: Path) -> None:
    for name in (
        "table2.json", "figure2.json", "privacy.json", "table1.parquet", "drawing.json"
    ):  # fmt: skip
        (folder / name).unlink()
    path = folder / "table1.json"
    data = json.loads(path.read_text())
    data["rows"] = [row | {"network": "9_moon"} for row in data["rows"][:6]]
    path.write_text(json.dumps(data))
    text = page(folder)
    assert "9_moon" in text
    assert "printed means reproduced" not in text
    assert 'data-plot="agreement"' not in text
    assert not re.findall('<td class="difference (?!none)', text)


def test_means_that_do_not_exist_are_said_to_be_none(folder: Path) -> None:
    none = dict.fromkeys(("violation_mean", "violation_std", "loss_mean", "loss_std"))
    change(folder, "table1", algorithm="PIQ-a", **none, infeasible_runs=100)
    text = page(folder)
    assert "100 of 100 runs infeasible" in text
    assert text.count('<td class="difference absent"><span class="pill">no value</span>') == 2
    assert "NaN" not in text
    assert "nan" not in re.findall(r'(?:x|y|cx|cy|d)="([^"]*)"', text)


def test_optional_files_may_be_absent(folder: Path) -> None:
    for name in ("timings.json", "drawing.json", "table1.parquet", "table2.parquet"):
        (folder / name).unlink()
    outline = Outline(page(folder))
    assert not {"drawing"} & set(outline.ids)
    assert "Every run" not in outline.text
    assert "of work" not in outline.text


@pytest.mark.parametrize("missing", ["jinja2", "pandas", "pyarrow"])
def test_a_missing_extra_is_named_with_its_remedy(
    folder: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(InputError, match=missing) as caught:
        privopt.report.write(folder)
    assert re.search(r"pip install '[./].*\[report\]'", caught.value.remedy)  # on no index


def test_colours_stand_out_in_both_themes() -> None:
    css = (resources.files("privopt.report") / "page.css").read_text(encoding="utf-8")
    pairs = dict(re.findall(r"--([a-z0-9]+): light-dark\((#\w{6}, #\w{6})\)", css))
    needed = dict.fromkeys(("ink", "muted", "accent", "good", "warn", "bad", "limit"), 4.5)
    signs = ("op", "analytic", "sampled", "exact", "box", "sampledbox", "joint", "other", "proven")
    needed |= dict.fromkeys((*signs, *(f"line{k}" for k in range(5)), "released", "printed"), 3.0)
    for name, least in needed.items():
        for colour, ground in zip(
            pairs[name].split(", "), pairs["ground"].split(", "), strict=True
        ):
            assert contrast(colour, ground) >= least, (name, colour)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""

    def luminance(colour: str) -> float:
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
