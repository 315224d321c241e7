"""Where the rows of a ledger are kept: a protocol, and the stores that fulfil it."""
