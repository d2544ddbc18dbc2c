"""Describes a picture of a scene."""
