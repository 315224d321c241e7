"""Hostile random programs against plain CVXPY: `python -m tests.differential plans 0 200`."""
