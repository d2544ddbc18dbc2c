"""TODO say what reports holds."""
