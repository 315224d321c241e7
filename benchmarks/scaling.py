"""Seconds and memory against nodes: `python -m benchmarks.scaling OUT.json OUT.svg`.

The paper's instance with every line limit taken four times, so that few lines bind whatever the
size, once with 30% of the nodes released and once with 35 nodes released. The exponent is that of a
straight line through the logarithms of 1354 nodes and more.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from docs.pictures.dark import follows_dark

from benchmarks.programs import matrices
from benchmarks.recourse import alone

NETWORKS = ("118_ieee", "500_goc", "1354_pegase", "2869_pegase", "4837_goc", "9241_pegase")
RELEASED = 35
LIMITS = 4.0
FITTED = 1000  # nodes from which on the exponent is fitted


def measure(network: str, *, few: bool) -> dict[str, Any] | None:
    """Seconds and peak memory of one network."""
    data = matrices(network)
    released = data.released[:RELEASED] if few else data.released
    data = dataclasses.replace(data, b=LIMITS * data.b, released=released)
    found = alone("ours", data, False)
    if found is None or found["cost"] is None:
        return None
    return {
        "network": network,
        "nodes": len(data.linear) // 2,
        "noise_dimensions": len(released),
        "seconds": found["seconds"],
        "peak_mib": found["peak_mib"],
    }


def exponent(rows: list[dict[str, Any]]) -> float:
    """Slope of log seconds against log nodes."""
    large = [row for row in rows if row["nodes"] >= FITTED]
    nodes, seconds = ([float(row[name]) for row in large] for name in ("nodes", "seconds"))
    return float(np.polyfit(np.log(nodes), np.log(seconds), 1)[0])


WIDTH, HEIGHT, EDGE = 360, 300, 56


def panel(
    series: dict[str, list[dict[str, Any]]], column: str, title: str, left: float
) -> list[str]:
    """One panel with logarithmic axes, as SVG elements."""
    rows = [row for part in series.values() for row in part]
    x = np.log10([float(row["nodes"]) for row in rows])
    y = np.log10([float(row[column]) for row in rows])
    low, high = np.array([x.min(), y.min()]) - 0.1, np.array([x.max(), y.max()]) + 0.1

    def place(row: dict[str, Any]) -> tuple[float, float]:
        point = np.log10([float(row["nodes"]), float(row[column])])
        share = (point - low) / (high - low)
        return (
            left + EDGE + share[0] * (WIDTH - EDGE - 12),
            HEIGHT - EDGE + 8 - share[1] * (HEIGHT - EDGE - 36),
        )

    parts = [f'<text x="{left + EDGE}" y="20" font-weight="bold">{title}</text>']
    for power in range(int(np.ceil(low[1])), int(np.floor(high[1])) + 1):
        at = place({"nodes": 10 ** low[0], column: 10.0**power})[1]
        parts.append(
            f'<line x1="{left + EDGE}" x2="{left + WIDTH - 12}" y1="{at:.1f}" y2="{at:.1f}" '
            f'stroke="#ddd"/><text x="{left + EDGE - 6}" y="{at + 4:.1f}" text-anchor="end">'
            f"{10.0**power:g}</text>"
        )
    for nodes in (100, 1000, 10000):
        if low[0] <= np.log10(nodes) <= high[0]:
            at = place({"nodes": nodes, column: 10 ** low[1]})[0]
            parts.append(
                f'<text x="{at:.1f}" y="{HEIGHT - EDGE + 28}" text-anchor="middle">{nodes}</text>'
            )
    parts.append(
        f'<text x="{left + WIDTH / 2 + 20}" y="{HEIGHT - 10}" text-anchor="middle">nodes</text>'
    )
    for (name, part), colour in zip(series.items(), ("#1f5fa8", "#c4572a"), strict=True):
        points = [place(row) for row in sorted(part, key=lambda row: row["nodes"])]
        line = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{colour}"/>' for a, b in points]
        height = 40 + 16 * list(series).index(name)
        parts.append(f'<text x="{left + EDGE + 8}" y="{height}" fill="{colour}">{name}</text>')
    return parts


def picture(series: dict[str, list[dict[str, Any]]]) -> str:
    """Both panels."""
    parts = panel(series, "seconds", "seconds", 0) + panel(
        series, "peak_mib", "peak memory, MiB", WIDTH
    )
    return follows_dark(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {HEIGHT}" '
        f'width="{2 * WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">'
        '<rect width="100%" height="100%" fill="white"/>' + "".join(parts) + "</svg>\n"
    )


def main() -> None:
    """Measure, fit, draw."""
    out, drawing = Path(sys.argv[1]), Path(sys.argv[2])
    series: dict[str, list[dict[str, Any]]] = {}
    for name, few in (("30% of the nodes released", False), ("35 nodes released", True)):
        series[name] = []
        for network in NETWORKS:
            row = measure(network, few=few)
            print(name, network, row, flush=True)
            if row is not None:
                series[name].append(row)
    fitted = {name: exponent(rows) for name, rows in series.items()}
    out.write_text(json.dumps({"exponents": fitted, "rows": series}, indent=1) + "\n")
    drawing.write_text(picture(series))
    print(fitted)


if __name__ == "__main__":
    main()
