"""Rewrite a passage that is in the validated book, on its author's word."""
