"""TODO say what cli holds."""
