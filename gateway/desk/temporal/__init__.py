"""TODO say what temporal holds."""
