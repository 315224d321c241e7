"""The reformulations: one line each. Jobs know those listed here."""

from __future__ import annotations

from privopt.feasibility.always import Always
from privopt.feasibility.analytic import Analytic
from privopt.feasibility.exact_box import ExactBox
from privopt.feasibility.joint import Joint
from privopt.feasibility.protocol import Feasibility
from privopt.feasibility.sampled_box import SampledBox
from privopt.feasibility.scenario import Scenario

__all__ = ["REFORMULATIONS"]

REFORMULATIONS: list[type[Feasibility]] = [
    Analytic,
    ExactBox,
    SampledBox,
    Joint,
    Scenario,
    Always,
]
