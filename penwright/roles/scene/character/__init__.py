"""Plays one character of a scene."""
