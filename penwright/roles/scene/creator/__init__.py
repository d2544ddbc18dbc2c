"""Writes sheets of characters."""
