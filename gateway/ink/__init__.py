"""TODO say what ink holds."""
