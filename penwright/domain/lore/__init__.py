"""Lore: which entries of the active lorebooks go into a prompt, and why the others do not."""
