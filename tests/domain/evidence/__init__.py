"""The reader's copy."""
