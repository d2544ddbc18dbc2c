"""Intents: which changes are allowed, and why."""
