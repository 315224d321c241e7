"""The pictures, one file each, as plain plotly data: `{"data": [...], "layout": {...}}`.

Colours are CSS variables such as "var(--ink)"; the page's script puts in the colours of the theme.
"""
