"""TODO say what book holds."""
