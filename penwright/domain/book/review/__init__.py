"""TODO say what review holds."""
