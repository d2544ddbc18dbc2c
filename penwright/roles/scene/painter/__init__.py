"""Paints what the visual role described."""
