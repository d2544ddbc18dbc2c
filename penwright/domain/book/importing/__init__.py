"""Source texts: find the chapters of a text, and keep every line of it."""
