"""``penwright run``."""
