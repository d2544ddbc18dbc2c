"""Judges a manuscript: a score, a summary and what to do."""
