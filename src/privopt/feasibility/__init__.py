"""Reformulations of the chance constraint P(A z(xi) <= b) >= 1 - eta, one file each."""

from privopt.feasibility.always import Always
from privopt.feasibility.analytic import Analytic
from privopt.feasibility.exact_box import ExactBox
from privopt.feasibility.joint import Joint
from privopt.feasibility.protocol import Feasibility, Settled
from privopt.feasibility.sampled_box import SampledBox
from privopt.feasibility.scenario import Scenario

__all__ = [
    "Always",
    "Analytic",
    "ExactBox",
    "Feasibility",
    "Joint",
    "SampledBox",
    "Scenario",
    "Settled",
]
