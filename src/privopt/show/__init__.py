"""Showing: results as text, table and picture."""
