"""Keeps the running summary of a scene."""
