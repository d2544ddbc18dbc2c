"""``penwright intent``."""
