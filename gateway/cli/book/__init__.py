"""``penwright book``."""
