"""TODO say what loop holds."""
