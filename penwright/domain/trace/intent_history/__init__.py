"""TODO say what intent_history holds."""
