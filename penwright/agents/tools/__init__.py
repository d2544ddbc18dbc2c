"""TODO say what tools holds."""
