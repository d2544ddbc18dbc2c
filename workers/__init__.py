"""Processes, their settings and the composition root."""
