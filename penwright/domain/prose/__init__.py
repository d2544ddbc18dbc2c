"""Judging prose that was just written: beside its task, the book before it, and itself."""
