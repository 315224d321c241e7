"""The price of a proof: mean loss of each method, network by network, the unproven one hatched."""

from __future__ import annotations

from typing import Any

from privopt.report.plots.style import Figure, axis, label, percent, picture, scatter
from privopt.report.proofs import LOOKS, PRINTED, Proof, Proofs

__all__ = ["height", "proofs"]

SLOT, GAP, HEAD = 22, 0.5, 1.0  # pixels of a bar; slots between networks and for a name
ROOM = 1.75  # of the longest bar, for what is written beside it
ENDS = 60  # pixels above and below


def proofs(found: Proofs) -> Figure:
    """Bars from top to bottom: PIQ-a as printed first, then what is proven."""
    data: list[Figure] = []
    ticks: dict[float, str] = {}
    names: list[Any] = []
    at = 0.0
    for case in found.cases:
        names.append(_heading(case, at))
        at += HEAD
        for row in _shown(found, case):
            ticks[at] = LOOKS[row.algorithm].label
            data += [_bar(row, at), _text(found, row, at)]
            at += 1
        at += GAP
    longest = max([row.loss.mean for row in found.rows if row.loss] + [0.1])
    return picture(
        data,
        height(found),
        (128, 8, 6, 44),
        bargap=0.28,
        barmode="overlay",
        xaxis=axis("mean loss, % above the optimal cost", range=[0, ROOM * longest], nticks=6),
        yaxis=axis(
            tickvals=list(ticks),
            ticktext=list(ticks.values()),
            range=[at - GAP, -0.6],
            showgrid=False,
        ),
        annotations=names,
    )


def height(found: Proofs) -> int:
    """Pixels of the picture."""
    slots = sum(HEAD + GAP + len(_shown(found, case)) for case in found.cases)
    return ENDS + round(SLOT * slots)


def _shown(found: Proofs, case: str) -> list[Proof]:
    rows = {row.algorithm: row for row in found.of(case)}
    return [rows[name] for name in LOOKS if name in rows]


def _heading(case: str, at: float) -> Figure:
    return {
        "text": f"<b>{label(case)}</b>",
        "xref": "paper",
        "x": 0,
        "y": at,
        "xshift": -124,
        "xanchor": "left",
        "showarrow": False,
        "font": {"size": 13, "color": "var(--ink)"},
    }


def _bar(row: Proof, at: float) -> Figure:
    look = LOOKS[row.algorithm]
    part = row.answered < row.runs  # a mean over some of the runs is drawn hollow
    ground = "var(--ground)" if part else look.css
    marker: Figure = {"color": ground, "line": {"width": 1.5 if part else 1, "color": look.css}}
    if look.hatched:
        marker["pattern"] = {
            "shape": "/",
            "size": 6,
            "solidity": 0.28,
            "fgcolor": look.css,
            "bgcolor": "var(--ground)",
        }
    return {
        "type": "bar",
        "orientation": "h",
        "x": [row.loss.mean if row.loss else 0.0],
        "y": [at],
        "marker": marker,
        "hovertemplate": _hover(row),
    }


def _text(found: Proofs, row: Proof, at: float) -> Figure:
    bound = found.bound(row.network) if row.algorithm == PRINTED else None
    refuted = bound is not None and bound.beyond > 0
    colour = "limit" if refuted else "ink" if row.loss else "muted"
    return scatter(
        [max(row.loss.mean, 0.0) if row.loss else 0.0],
        [at],
        mode="text",
        text=[f" {_said(row, bound)}"],
        textposition="middle right",
        textfont={"size": 12, "color": f"var(--{colour})"},
        cliponaxis=False,
    )


def _said(row: Proof, bound: Proof | None) -> str:
    """What is written beside a bar."""
    if row.loss is None:
        return row.missing or "no answer"
    parts = [percent(row.loss.mean)]
    if bound is not None and bound.epsilon is not None:
        parts.append(
            f"<b>true ε ≥ {bound.epsilon:.2f}</b>" if bound.beyond else "ε assumed"
        )  # fmt: skip
    if row.answered < row.runs:
        parts.append(f"{row.answered} of {row.runs} runs")
    if row.constant:
        part = "" if row.constant == row.answered else f" {row.constant} of {row.answered}"
        parts.append(f"constant{part}")
    return " · ".join(parts)


def _hover(row: Proof) -> str:
    parts = [f"<b>{label(row.network)}, {LOOKS[row.algorithm].label}</b>, {label(row.privacy)}"]
    if row.loss is not None:
        parts.append(f"loss {percent(row.loss.mean)}, PIQ-a on the same runs {percent(row.beside)}")
    if row.level is not None and row.distance is not None:
        parts.append(f"noise level s = {row.level:.3g}, distance {row.distance:.3g}")
    parts += [f"{count} of {row.runs} runs: {label(reason)}" for reason, count in row.reasons]
    return "<br>".join(parts) + "<extra></extra>"
