"""Programs and queries that several tests share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from tests.reference.plain import Program

import privopt as po
from privopt.noise.calibration import query_sensitivity
from privopt.solving.noisy import NoisyProgram
from privopt.solving.solver import Settings


def convex(data: Program | Mapping[str, Any], **more: Any) -> po.ConvexProgram:
    """The reference's data as a privopt program."""
    return po.ConvexProgram(
        linear=data["c1"],
        quadratic=data["C2"],
        A=data["A"],
        b=data["b"],
        G=data["G"],
        d=data["d"],
        **more,
    )


def toy(d: Any = 6.0, **more: Any) -> po.ConvexProgram:
    """Three suppliers meet one private demand: z1 + z2 + z3 = d, 0 <= z <= 4."""
    data: dict[str, Any] = {
        "linear": [1.0, 2.0, 3.0],
        "quadratic": [0.1, 0.1, 0.1],
        "G": [[1.0, 1.0, 1.0]],
        "d": [d] if isinstance(d, (int, float)) else d,
        "lower": 0.0,
        "upper": 4.0,
        "names": ["x", "y", "w"],
    }
    return po.ConvexProgram(**(data | more))


def single_row(noise_scale: float = 0.1) -> tuple[po.ConvexProgram, po.Identity, po.Laplace]:
    """A program whose one chance constraint binds: maximise x, x + y = 1, x <= 1, release x."""
    program = po.ConvexProgram(linear=[-1.0, 0.0], A=[[1.0, 0.0]], b=[1.0], G=[[1.0, 1.0]], d=[1.0])
    return program, po.Identity([0]), po.Laplace(epsilon=1.0, alpha=noise_scale)


def summed(p: int) -> tuple[po.ConvexProgram, po.Identity]:
    """One row binds, a weighted sum of p noisy variables: a'x <= 1, released x, y_j = d_j - x_j."""
    weights = np.linspace(1.0, 2.0, p)
    eye = np.eye(p)
    program = po.ConvexProgram(
        linear=np.concatenate([-weights, np.zeros(p)]),
        quadratic=np.concatenate([np.full(p, 0.1), np.zeros(p)]),
        A=[np.concatenate([weights, np.zeros(p)])],
        b=[1.0],
        G=np.hstack([eye, eye]),
        d=np.ones(p),
    )
    return program, po.Identity(range(p))


def network_chance(name: str = "14_ieee", seed: int = 0) -> NoisyProgram:
    """The chance-constrained program of the paper's instance of a network."""
    drawn = po.experiments.instance(name, seed)
    S = drawn.query.matrix(drawn.program)
    noise = po.Laplace(epsilon=1.0, alpha=0.1)
    calibration = noise.calibrate(S.shape[0], query_sensitivity(noise, S))
    near = drawn.program.solve().z
    return NoisyProgram(drawn.program, S, calibration, Settings(), near)
