"""Turning a reply's operations into edits of a text, and the feedback to a model about them."""
