"""Proposes searches for a sentence, and picks among what was found."""
