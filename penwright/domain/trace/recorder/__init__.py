"""Making records: what a commit adds to the ledger, and who wrote each block before it."""
