"""TODO say what mcp holds."""
