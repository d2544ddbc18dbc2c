"""TODO say what agent_trace holds."""
