"""Formulas are set when the site is built: pages need no script for them.

A hook of MkDocs. The Markdown extension `arithmatex` finds `$...$` and `$$...$$`; KaTeX, run once
by Node.js for all pages, makes MathML for readers' tools and for the search, and HTML for the eye.
Without Node.js or KaTeX the formulas stay as they are written, and the build says so.
"""

from __future__ import annotations

import html
import json
import logging
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from packages import IFRAME_WORKER, KATEX

HERE = Path(__file__).parent
log = logging.getLogger("mkdocs.plugins.formulas")
WRITTEN = re.compile(
    r'<(span|div) class="arithmatex">\\(?P<open>[(\[])(?P<tex>.*?)\\[)\]]</\1>', re.DOTALL
)
ANNOTATION = re.compile(r"<annotation.*?</annotation>", re.DOTALL)
UNUSED = re.compile(r"\.map$|^assets/javascripts/lunr/")  # source maps, words of other languages
FALLBACKS = re.compile(r",url\(fonts/[\w-]+\.(?:woff|ttf)\) format\(\"\w+\"\)")


@dataclass(frozen=True)
class Formula:
    """What is written, and whether it stands on a line of its own."""

    tex: str
    display: bool


def written(page: str) -> list[Formula]:
    """The formulas of a page of HTML, in their order."""
    return [_formula(match) for match in WRITTEN.finditer(page)]


def _formula(match: re.Match[str]) -> Formula:
    return Formula(html.unescape(match["tex"]).strip(), match["open"] == "[")


def rendered(formulas: Sequence[Formula], katex: Path) -> dict[Formula, str]:
    """The HTML of each formula; raises if one is not understood."""
    node, wanted = shutil.which("node"), list(dict.fromkeys(formulas))
    if node is None:
        raise PluginError("node is not installed")
    asked = json.dumps([{"tex": one.tex, "display": one.display} for one in wanted])
    command = [node, str(HERE / "formulas.mjs"), str(katex)]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)  # noqa: S603 -- ours
    answers: list[dict[str, str]] = json.loads(done.stdout)
    wrong = [
        f"{one.tex}: {answer['error']}"
        for one, answer in zip(wanted, answers, strict=True)
        if "error" in answer
    ]
    if wrong:
        raise PluginError("KaTeX does not understand\n" + "\n".join(wrong))
    return {one: _tidy(answer["html"]) for one, answer in zip(wanted, answers, strict=True)}


def _tidy(made: str) -> str:
    """The search reads the MathML, once, and not the boxes that are there for the eye."""
    made = ANNOTATION.sub("", made)
    return made.replace('class="katex-html"', 'class="katex-html" data-search-exclude')


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add style and fonts of KaTeX, and the shim of the search; leave out what no page asks for."""
    for file in [file for file in files if UNUSED.search(file.src_uri)]:
        files.remove(file)
    katex, shim = KATEX.folder, IFRAME_WORKER.folder / "shim" / "index.js"
    if shim.is_file():
        files.append(_copied(config, "assets/iframe-worker.js", shim))
    else:
        log.info("The search will work from a server only: `make docs` fetches what it needs.")
    if katex.is_dir():
        style = (katex / "dist" / "katex.min.css").read_text(encoding="utf-8")
        files.append(
            File.generated(config, "assets/katex/katex.css", content=FALLBACKS.sub("", style))
        )
        files.append(_copied(config, "assets/katex/LICENSE", katex / "LICENSE"))
        for font in sorted((katex / "dist" / "fonts").glob("*.woff2")):
            files.append(_copied(config, f"assets/katex/fonts/{font.name}", font))
        config.extra_css.append("assets/katex/katex.css")
    return files


def _copied(config: MkDocsConfig, place: str, source: Path) -> File:
    return File.generated(config, place, abs_src_path=str(source))


def on_env(env: Environment, config: MkDocsConfig, files: Files) -> Environment:
    """Set the formulas of all pages."""
    del config
    pages = [file.page for file in files.documentation_pages() if file.page is not None]
    if not KATEX.folder.is_dir() or shutil.which("node") is None:
        log.info("Formulas stay as text: KaTeX or Node.js is missing (docs/site/packages.py).")
        return env
    every = [formula for page in pages for formula in written(page.content or "")]
    made = rendered(every, KATEX.folder)
    for page in pages:
        page.content = WRITTEN.sub(lambda match: _set(match, made), page.content or "")
    return env


def _set(match: re.Match[str], made: dict[Formula, str]) -> str:
    formula = _formula(match)
    if formula.display:  # a wide one is scrolled by itself, also by keyboard
        return f'<div class="formula" tabindex="0" role="math">{made[formula]}</div>'
    return made[formula]
