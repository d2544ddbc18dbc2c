"""Verifying the ledger: that it is whole, that git agrees with it, and that it still speaks of the text."""
