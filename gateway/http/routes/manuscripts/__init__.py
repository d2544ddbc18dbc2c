"""Novels: their texts, runs and citations."""
