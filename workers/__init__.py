"""Processes and the composition root."""
