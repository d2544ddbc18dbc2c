"""The trace, without I/O."""
