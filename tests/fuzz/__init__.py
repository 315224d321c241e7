"""Damaged files and random command lines: no raw exception, nothing half-written."""
