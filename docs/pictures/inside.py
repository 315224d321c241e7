"""The picture of the front page: `python -m docs.pictures.inside` writes inside.svg beside it.

Three plants serve a private demand of 6, each within 0 to 4; the supplies of coal and gas are
published. Which pairs can be completed by hydro is a hexagon cut down to what is shaded. Noise on
the optimum, which lies in a corner, leaves it; a plan moves away from the corner and stays.
Simulated with a seed, for a picture that stays the same; releases have none.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from docs.pictures.dark import follows_dark

import privopt as po

SHOWN, SIZE, EDGE, LOW, HIGH = 300, 300, 40, -0.2, 4.9
AREA = [(0, 2), (2, 0), (4, 0), (4, 2), (2, 4), (0, 4)]  # 2 <= coal + gas <= 6, both within 0 to 4


def place(point: tuple[float, float], left: int) -> tuple[float, float]:
    """Where a pair of supplies lies in the picture."""
    x, y = ((value - LOW) / (HIGH - LOW) * SIZE for value in point)
    return left + x, EDGE + SIZE - y


def panel(points: np.ndarray, failed: float, title: str, left: int) -> list[str]:
    """The set, the releases, and how often they fall outside."""
    corners = " ".join(f"{x:.0f},{y:.0f}" for x, y in (place(corner, left) for corner in AREA))
    lines = [f'<polygon points="{corners}" fill="#d9efe9" stroke="#00796b" stroke-width="1.5"/>']
    for coal, gas in points:
        inside = 0 <= coal <= 4 and 0 <= gas <= 4 and 2 <= coal + gas <= 6
        x, y = place((np.clip(coal, LOW, HIGH), np.clip(gas, LOW, HIGH)), left)
        color = "#00796b" if inside else "#c62828"
        lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.4" fill="{color}" opacity=".55"/>')
    middle = left + SIZE / 2
    lines += [
        f'<text x="{middle}" y="18" text-anchor="middle" font-weight="bold">{title}</text>',
        f'<text x="{middle}" y="34" text-anchor="middle" fill="#555">'
        f"{100 * failed:.0f}% cannot be completed</text>",
        f'<text x="{middle}" y="{EDGE + SIZE + 18}" text-anchor="middle">coal, released</text>',
        f'<text transform="translate({left - 6} {EDGE + SIZE / 2}) rotate(-90)" '
        'text-anchor="middle">gas, released</text>',
    ]
    return lines


def main() -> None:
    """Write the picture."""
    program = po.ConvexProgram(
        linear=[1.0, 2.0, 3.0], quadratic=[0.1] * 3, G=[[1, 1, 1]], d=[6.0], lower=0, upper=4
    )
    query, privacy = po.Identity([0, 1]), po.Laplace(epsilon=1.0, alpha=0.2)
    naive = po.output_perturbation(program, query, privacy)
    plan = po.solve(program, query, privacy, po.ExactBox(eta=0.05))
    xi = plan.calibration.scale * np.random.default_rng(1).laplace(size=(SHOWN, 2))
    drawn: list[str] = []
    for k, (made, middle, title) in enumerate(
        (
            (naive, naive.optimum.z[:2], "noise on the answer"),
            (plan, plan.expected[:2], "noise in the program: privopt"),
        )
    ):
        failed = made.verify(samples=20_000).completion.value
        drawn += panel(middle + xi, failed, title, 20 + k * (SIZE + 40))
    width, height = 2 * SIZE + 100, SIZE + EDGE + 28
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="13">'
        '<rect width="100%" height="100%" fill="white"/>' + "".join(drawn) + "</svg>\n"
    )
    (Path(__file__).parent / "inside.svg").write_text(follows_dark(text), encoding="utf-8")


if __name__ == "__main__":
    main()
