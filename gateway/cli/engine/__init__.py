"""TODO say what engine holds."""
