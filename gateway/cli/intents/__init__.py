"""TODO say what intents holds."""
