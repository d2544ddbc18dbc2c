"""Worker processes: each kind, and what all share."""
