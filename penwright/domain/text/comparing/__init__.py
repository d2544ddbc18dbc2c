"""Differences and similarity of two texts."""
