"""Positions of our fields in the JSON of other programs."""
