"""Planted bugs, each with the test that must catch it: `make mutants`."""
