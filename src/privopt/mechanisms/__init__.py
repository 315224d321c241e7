"""Mechanisms: from a program and a query to what is released, one way to do it a file."""
