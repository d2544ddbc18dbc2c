"""Worlds, their people and lore."""
