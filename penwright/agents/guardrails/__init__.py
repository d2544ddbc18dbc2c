"""TODO say what guardrails holds."""
