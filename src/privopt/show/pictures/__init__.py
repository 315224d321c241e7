"""Pictures as small SVG, made by us: no script, a few kilobytes, light and dark.

One kind of chart per file; `svg`, `scale`, `frame` and `marks` are what they are made of.
"""

from __future__ import annotations

from privopt.show.pictures.picture import Picture

__all__ = ["Picture"]
