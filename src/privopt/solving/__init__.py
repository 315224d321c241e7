"""Solving: conic data in, solution out.

Nothing here knows what is private.
"""
