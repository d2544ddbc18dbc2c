"""Names the sentences that need a citation."""
