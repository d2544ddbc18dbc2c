"""Chooses the next step among the legal ones."""
