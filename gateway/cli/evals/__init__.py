"""``penwright eval``."""
