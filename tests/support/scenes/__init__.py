"""Director rounds in tests."""
