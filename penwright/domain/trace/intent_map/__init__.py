"""TODO say what intent_map holds."""
