"""Implementations of the ports: git, PostgreSQL, model providers, notifiers, and doubles of them."""
