"""A hook of MkDocs for pages that lie outside of docs/, and for what the theme leaves out.

The links of such a page start at the root of the project (`docs/theory/README.md`), where GitHub
reads them. On the site they start at docs/.
"""

from __future__ import annotations

from pathlib import Path

from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
INCLUDED = {"security.md": ROOT / "SECURITY.md"}


def on_post_page(output: str, **_: object) -> str:
    """The theme's search is a dialog without a name: give it one, for those who hear the page."""
    return output.replace('role="dialog">', 'role="dialog" aria-label="Search">', 1)


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """The text of the file, with links as the site has them."""
    source = INCLUDED.get(page.file.src_uri)
    return (
        markdown if source is None else source.read_text(encoding="utf-8").replace("](docs/", "](")
    )
