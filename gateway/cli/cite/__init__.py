"""``penwright cite``: find what needs a citation, look it up, and decide."""
