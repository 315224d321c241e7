"""Adapters: models of cvxpy and networkx as programs, and tables of customers as data.

`from_cvxpy` takes a cvxpy problem, `from_networkx` a graph with demands. Each returns a
`ConvexProgram` that also reads queries in the model's own terms and writes solutions back to it.
`read_data` takes a table of customers by bus as the private data of a program.
"""

from __future__ import annotations

from privopt.adapters.cvxpy import from_cvxpy
from privopt.adapters.cvxpy_program import CvxpyProgram
from privopt.adapters.flow_program import FlowProgram
from privopt.adapters.networkx import from_networkx
from privopt.adapters.sites import Sites, read_sites
from privopt.adapters.table_data import TableData, read_data

__all__ = [
    "CvxpyProgram", "FlowProgram", "Sites", "TableData", "from_cvxpy", "from_networkx", "read_data",
    "read_sites",
]  # fmt: skip
