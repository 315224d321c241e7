"""Benchmarks: what `make bench` times. Never part of the tests."""
