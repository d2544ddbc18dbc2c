"""Texts that two writers changed, brought together."""
