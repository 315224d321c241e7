"""A ledger in a schema of a PostgreSQL database, shared by many under roles of their own."""
