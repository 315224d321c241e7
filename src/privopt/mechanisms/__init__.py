"""Mechanisms: from a question to a release, one a file."""
