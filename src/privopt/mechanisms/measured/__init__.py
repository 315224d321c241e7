"""Measure, then decide."""
