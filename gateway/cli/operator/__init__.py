"""``penwright operator``: what an operator does once, or from time to time."""
