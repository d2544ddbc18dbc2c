"""Prose of our own, faults put into it, and how many of them are found."""
