"""Runs of all pipelines: what is under way, what waits for a person, and how it is steered."""
