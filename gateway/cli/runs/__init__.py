"""TODO say what runs holds."""
