"""Pictures that follow light and dark: a style for SVG, put into each picture by its maker.

A picture is drawn in the colours of light pages. The style changes them where a page, or the
system, is dark; the rest of the file stays as it is, and a reader without styles shows it light.
"""

from __future__ import annotations

PAPER, INK = "#1e2129", "#e3e6ea"
COLOURS = {  # light: dark
    "white": PAPER,
    "#ffffff": "#2b303b",
    "#d9efe9": "#1d4a43",
    "black": INK,
    "#555": "#aab2bd",
    "#455a64": "#b4c0c7",
    "#ddd": "#3a404c",
    "#607d8b": "#78909c",
    "#90a4ae": "#78909c",
    "#c62828": "#ff8a80",
    "#00796b": "#4fd1bd",
    "#1f5fa8": "#82b1ff",
    "#c4572a": "#ffab91",
}


def style(svg: str) -> str:
    """Text without a colour of its own, then each colour of the picture, filled or drawn."""
    rules = [f"text{{fill:{INK}}}"]
    for light, dark in COLOURS.items():
        for what in ("fill", "stroke"):
            attribute, declared = f'{what}="{light}"', f"{what}: {light}"
            if attribute in svg or declared in svg:
                places = f'[{attribute}],[style*="{declared}"]'
                rules.append(f"{places}{{{what}:{dark}!important}}")
    return f"<style>@media (prefers-color-scheme:dark){{{''.join(rules)}}}</style>"


def follows_dark(svg: str) -> str:
    """The picture, with the style right after its first tag."""
    head = svg.index(">", svg.index("<svg")) + 1
    return svg[:head] + style(svg) + svg[head:]
