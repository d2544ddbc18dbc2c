"""Keeps the facts and trackers of a scene's world."""
