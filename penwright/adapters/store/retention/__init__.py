"""Deleting what is old: which rows, in which order, and what other rows still need."""

from penwright.adapters.store.retention.clearing import PostgresRetention

__all__ = ["PostgresRetention"]
