"""A ledger in one file of SQLite."""
