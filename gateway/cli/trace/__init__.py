"""TODO say what trace holds."""
