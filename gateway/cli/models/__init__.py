"""The `models` command."""
