"""Comparison in the locator: normal form, edit distance, and what must not differ."""
