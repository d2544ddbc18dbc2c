"""Reports from the ledger: blame, why, disclosure and statistics."""
