"""TODO say what prompt holds."""
