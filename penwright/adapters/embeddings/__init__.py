"""Vectors of texts: the built-in model, any embedding model of litellm, or none."""
