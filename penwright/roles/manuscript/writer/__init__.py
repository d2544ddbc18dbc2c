"""Writes one section."""
