"""Payloads of workflow histories: how values become bytes, and how these are encrypted."""
