"""TODO say what agents holds."""
