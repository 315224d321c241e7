"""Decisions that hold for every right-hand side a measurement leaves possible, and their proofs."""
