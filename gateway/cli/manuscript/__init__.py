"""``penwright manuscript``: novels and papers."""
