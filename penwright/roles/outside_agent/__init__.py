"""An agent that somebody else runs: the tools it is given, what it may read, and how it is told no."""
