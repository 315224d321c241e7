"""The first picture: `python -m docs.pictures.measured` writes measured.svg beside it.

The paper's instance of 39_epri, eleven supplies published at epsilon = 1: releases of the paper's
plan, with noise on every value, and decisions from measurements of the total demand, with
noise on that alone. Prints what each comes to at the true demands. The noise has no seed, so the
picture differs a little each time.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from docs.pictures.dark import follows_dark

import privopt as po
from privopt.arrays import Sparse
from privopt.mechanisms.completion import complete

NETWORK, SEED, SHOWN = "39_epri", 0, 40
NOISE, ETA = po.Laplace(epsilon=1.0, alpha=0.1), 0.025
WIDE, HIGH, EDGE, LEFT, TOP = 330, 250, 62, 46, 3.3
RED, GREEN, GREY = "#c62828", "#00796b", "#555"
Found = tuple[np.ndarray, float, float, int]  # releases, loss, error, how many not completed


def came_to(program: po.ConvexProgram, S: Sparse, releases: np.ndarray) -> Found:
    """Loss after completion, error, and how many could not be completed, at the true demands."""
    best = program.solve()
    extra: list[float] = []
    for values in releases:
        try:
            extra.append(complete(program, S, program.d, values).cost / best.cost - 1)
        except po.errors.InfeasibleError:
            continue
    error = float(np.sqrt(np.square(releases - S @ best.z).sum(axis=1).mean()))
    return releases, float(np.mean(extra)), error, len(releases) - len(extra)


def panel(
    found: Found, best: np.ndarray, names: tuple[str, ...], words: list[str], left: int
) -> str:
    """Releases about the answers, one column a supply."""
    releases, step = found[0], (WIDE - 20) / len(names)
    color = words[0]
    lines = [
        f'<line x1="{left}" x2="{left + WIDE}" y1="{level(v)}" y2="{level(v)}" stroke="#ddd"/>'
        f'<text x="{left - 6}" y="{level(v) + 4}" text-anchor="end" fill="{GREY}">{v}</text>'
        for v in (0, 1, 2, 3)
    ]
    for j, name in enumerate(names):
        x = left + 10 + (j + 0.5) * step
        spots = np.linspace(-0.3, 0.3, len(releases)) * step
        for spot, value in zip(spots, releases[:, j], strict=True):
            y = level(float(np.clip(value, -0.3, TOP)))
            lines.append(
                f'<circle cx="{x + spot:.1f}" cy="{y}" r="2.2" fill="{color}" opacity=".45"/>'
            )
        y = level(float(best[j]))
        lines.append(
            f'<line x1="{x - 0.45 * step:.1f}" x2="{x + 0.45 * step:.1f}" y1="{y}" y2="{y}" '
            'stroke="black" stroke-width="2"/>'
            f'<text x="{x:.1f}" y="{EDGE + HIGH + 16}" text-anchor="middle" font-size="11">{name}'
            "</text>"
        )
    middle = left + WIDE / 2
    lines += [
        f'<text x="{middle}" y="{18 + 16 * k}" text-anchor="middle"{style}>{text}</text>'
        for k, (text, style) in enumerate(
            zip(
                words[1:],
                (' font-weight="bold"', f' fill="{GREY}"', f' fill="{GREY}"'),
                strict=True,
            )
        )
    ]
    return "".join(lines)


def level(value: float) -> float:
    """Where a supply lies in the picture."""
    return round(EDGE + HIGH * (1 - (value + 0.3) / (TOP + 0.3)), 1)


def said(name: str, found: Found) -> str:
    """One line of figures."""
    releases, loss, error, without = found
    share = f"{without} of {len(releases)} not completed"
    return f"{name}: loss {100 * loss:.4f}%, error {error:.3f}, {share}"


def main() -> None:
    """Write the picture and print its figures."""
    drawn = po.experiments.instance(NETWORK, SEED)
    program, query = drawn.program, drawn.query
    S, names = query.matrix(program), query.names(program)
    plan = po.solve(program, query, NOISE, po.Analytic(eta=ETA, margin="unimodal"))
    noisy = np.array([plan.release().values for _ in range(10 * SHOWN)])
    instrument = po.Instrument(
        {"total": program.data_names}, program=program, privacy=NOISE, domain=drawn.domain
    )
    decisions = [
        po.decide(program, query, instrument.measure(program.d), po.ExactBox(eta=ETA))
        for _ in range(SHOWN)
    ]
    paper = came_to(program, S, noisy)
    ours = came_to(program, S, np.array([one.values for one in decisions]))
    figures = said("the paper's plan", paper), said("measure, then decide", ours)
    spread = f"a constant: error {decisions[0].spread:.3f}"
    sys.stdout.write("\n".join([*figures, spread, ""]))
    best = np.asarray(S @ program.solve().z)
    left, right = (
        panel(
            (paper[0][:SHOWN], *paper[1:]),
            best,
            names,
            [
                RED,
                "the paper: noise on every value",
                f"{100 * paper[1]:.1f}% dearer; {paper[3]} of {len(paper[0])} cannot be completed",
                "privacy assumed",
            ],
            LEFT,
        ),
        panel(
            ours,
            best,
            names,
            [
                GREEN,
                "privopt: noise on one sum, then decide",
                f"{100 * ours[1]:.4f}% dearer; {ours[3]} of {len(ours[0])} cannot be completed",
                "privacy proven",
            ],
            LEFT + WIDE + 50,
        ),
    )
    width, height = 2 * WIDE + LEFT + 70, HIGH + EDGE + 44
    note = (
        f'<text x="{width / 2}" y="{height - 8}" text-anchor="middle" fill="{GREY}">released '
        f"supplies of {NETWORK}, epsilon 1 each; bars: the answer without privacy</text>"
    )
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="13">'
        f'<rect width="100%" height="100%" fill="white"/>{left}{right}{note}</svg>\n'
    )
    (Path(__file__).parent / "measured.svg").write_text(follows_dark(text), encoding="utf-8")


if __name__ == "__main__":
    main()
