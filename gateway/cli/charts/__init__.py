"""Charts on a terminal and as files."""
