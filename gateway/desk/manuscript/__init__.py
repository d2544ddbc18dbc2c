"""Novels, scenes and their texts: what commands and servers ask."""
