"""A book as commands see it: found, listed, made, written, exported, restored, scheduled."""
