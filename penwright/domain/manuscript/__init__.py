"""Manuscripts: their layout, their prompts' values, and what the loop does next."""
