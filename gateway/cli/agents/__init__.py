"""``penwright agent``."""
