"""Tells what can be perceived in a scene."""
