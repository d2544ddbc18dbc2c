"""What the ledger answers: blame, why, disclosure and statistics."""
