"""TODO say what calls holds."""
