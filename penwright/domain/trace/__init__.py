"""The trace: who changed which block of text, under which intent, and the proof of it."""
