"""Outside agents, run by other programs: their tools, what they may read, and their error messages."""
