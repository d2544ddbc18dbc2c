"""``penwright trace``."""
