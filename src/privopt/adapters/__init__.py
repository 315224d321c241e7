"""Adapters: models of cvxpy and networkx as programs.

`from_cvxpy` takes a cvxpy problem, `from_networkx` a graph with demands. Each returns a
`ConvexProgram` that also reads queries in the model's own terms and writes solutions back to it.
"""

from __future__ import annotations

from privopt.adapters.cvxpy import from_cvxpy
from privopt.adapters.cvxpy_program import CvxpyProgram
from privopt.adapters.flow_program import FlowProgram
from privopt.adapters.networkx import from_networkx

__all__ = ["CvxpyProgram", "FlowProgram", "from_cvxpy", "from_networkx"]
