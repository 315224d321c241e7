"""Anchors: the head of a ledger, kept elsewhere, against an older copy and a copy beside it."""
