"""TODO say what text holds."""
