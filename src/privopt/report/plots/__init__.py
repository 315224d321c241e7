"""The pictures of the experiments, one file each, as small SVG in the colours of the page."""
