"""Random programs and decisions against plain CVXPY: `python -m tests.differential plans 0 200`."""
