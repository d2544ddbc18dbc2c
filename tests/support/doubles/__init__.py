"""Stores, workspaces and documents in memory, behind the same ports as the real ones."""
