"""Sums up stretches of a scene."""
