"""Ports: interfaces to the outside world. Each has a real adapter and an in-memory double."""
