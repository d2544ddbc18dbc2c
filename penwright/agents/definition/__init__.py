"""TODO say what definition holds."""
